// Facts of the contract that screens show before anything is sent. Importing them from there would bring its
// schemas into the browser; a test compares the two.
import type { Profile, SiteType } from '@reeve/contract/sites.ts'

export const siteTypes = [
  'wordpress',
  'woocommerce',
  'php',
  'laravel',
  'static',
  'proxy',
] as const satisfies readonly SiteType[]

export const profiles = ['balanced', 'commerce', 'maximum'] as const satisfies readonly Profile[]

export const isCms = (type: SiteType): boolean => type === 'wordpress' || type === 'woocommerce'
export const usesPhp = (type: SiteType): boolean => type !== 'static' && type !== 'proxy'

export const profileCache: Record<Profile, { ttl_s: number; stale_s: number }> = {
  balanced: { ttl_s: 600, stale_s: 3600 },
  commerce: { ttl_s: 300, stale_s: 3600 },
  maximum: { ttl_s: 86_400, stale_s: 259_200 },
}

export const workerMegabytes = 80
