import type { Site } from '@reeve/contract/sites.ts'
import { lifetime } from '../lib/format.ts'
import { strings } from '../lib/strings.ts'
import { isCms } from './type-facts.ts'

/** How long a finished page is kept. Only of WordPress the panel knows which page is the same for everybody. */
export const pageLifetime = ({ type, cache }: Pick<Site, 'type' | 'cache'>): string =>
  isCms(type) ? lifetime(cache.ttl_s) : strings.site.ttlOfApplication
