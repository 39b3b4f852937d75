// The parts of a site's page, and which of them a site has.
import type { SiteType } from '@reeve/contract/sites.ts'
import type { strings } from '../lib/strings.ts'
import { usesPhp } from './type-facts.ts'

export interface Tab {
  name: Exclude<keyof typeof strings.siteTabs, 'label' | 'missing' | 'back' | 'entry'>
  to:
    | '/sites/$id'
    | '/sites/$id/config'
    | '/sites/$id/php'
    | '/sites/$id/certificate'
    | '/sites/$id/cache'
    | '/sites/$id/cron'
    | '/sites/$id/access'
    | '/sites/$id/logs'
  /** The types that have it; all when absent. */
  has?: (type: SiteType) => boolean
}

const isNot =
  (...types: SiteType[]) =>
  (type: SiteType) =>
    !types.includes(type)

export const hasPageCache = isNot('static')

const everyTab: readonly Tab[] = [
  { name: 'overview', to: '/sites/$id' },
  { name: 'config', to: '/sites/$id/config' },
  { name: 'php', to: '/sites/$id/php', has: usesPhp },
  { name: 'certificate', to: '/sites/$id/certificate' },
  { name: 'cache', to: '/sites/$id/cache', has: hasPageCache },
  { name: 'cron', to: '/sites/$id/cron', has: isNot('proxy') },
  { name: 'access', to: '/sites/$id/access', has: isNot('proxy') },
  { name: 'logs', to: '/sites/$id/logs' },
]

export const tabsOf = (type: SiteType): readonly Tab[] => everyTab.filter(({ has }) => has?.(type) ?? true)

/** The part that an address like `/sites/s…/cron` names. */
export function tabAt(pathname: string): Tab | undefined {
  const [section, id, name = 'overview'] = pathname.split('/').filter(Boolean)
  if (section !== 'sites' || id === undefined || id === 'new') return undefined
  return everyTab.find((tab) => tab.name === name)
}
