import { cachePurge, cacheStats, getCacheStats, purgeCache, warmCache } from '@reeve/contract/cache.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { type Api, route } from '../route.ts'
import { refuseUnserved, taskFor } from '../sites/change.ts'
import { startTask } from '../tasks/start.ts'
import { announceCache } from './announce.ts'
import { refuseForeignHosts } from './targets.ts'
import { warmCacheTask } from './tasks.ts'

export function cacheRoutes(api: Api): void {
  const { context } = api

  route(api, purgeCache, async ({ body, scoped: { site } }) => {
    refuseUnserved(site)
    refuseForeignHosts(site.spec, body)
    const purged = await context.agent.call(cachePurge, { id: site.id, target: body })
    announceCache(context, site.id)
    return purged
  })

  route(api, warmCache, async ({ caller, scoped: { site } }) => {
    refuseUnserved(site)
    if (!site.spec.cache.enabled || site.spec.type === 'static') {
      throw new AppError('refused', `${site.spec.domain} has no page cache to warm.`)
    }
    const task = taskFor(warmCacheTask, { id: site.id }, site.spec, caller)
    return { task: await startTask(context, task, async () => {}) }
  })

  route(api, getCacheStats, async ({ scoped: { site } }) => {
    // What was never made, or is going, is not known to the agent.
    if (site.facts === null || site.state === 'deleting') return { object_cache: null, page_cache: null }
    return await context.agent.call(cacheStats, { id: site.id })
  })
}
