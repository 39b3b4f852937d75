import type { SiteId } from '@reeve/contract/primitives.ts'
import type { Context } from '../context.ts'

/** Tells open pages that the numbers of a site's caches are others now. */
export function announceCache({ events }: Pick<Context, 'events'>, siteId: SiteId): void {
  events.publish('invalidate', { keys: [`sites/${siteId}/cache`] }, { siteId, accountId: null })
}
