import {
  type CacheStats,
  cachePurge,
  cacheStats,
  cacheWarm,
  connectorList,
  connectorRotate,
  type PurgeTarget,
} from '@reeve/contract/cache.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { isCms, usesPhp } from '@reeve/contract/sites.ts'
import { join } from 'node:path'
import { rotateConnectorToken, tokenSha256 } from '../cms/connector-token.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { redisUserName } from '../object-cache/redis.ts'
import type { RegisteredSite } from '../registry.ts'
import { objectCacheStats } from './object-cache-stats.ts'
import { pageCacheStats } from './page-cache-stats.ts'
import { purgePages } from './purge.ts'
import { warmCache } from './warm.ts'

export function cacheOperations(context: AgentContext): BoundOperation[] {
  const site = (id: SiteId) => context.registry.requireSite(id)
  const stats = remembered((id: SiteId) => measureCaches(context, site(id)))
  const purge = async (id: SiteId, target: PurgeTarget) => {
    const purged = await purgePages(context, site(id).spec, target)
    stats.forget(id)
    return { purged }
  }
  return [
    bind(cachePurge, ({ id, target }) => purge(id, target)),
    bind(cacheWarm, ({ id }, progress) => warmCache(context.config, site(id).spec, progress)),
    bind(cacheStats, ({ id }) => stats.get(id)),
    bind(connectorRotate, async ({ id }) => ({
      connector_token_sha256: await rotateConnectorToken(context, id),
    })),
    bind(connectorList, async () => ({ connectors: connectors(context) })),
  ]
}

const connectors = ({ registry }: AgentContext) =>
  registry
    .listSites()
    .filter(({ isInstalled, spec }) => isInstalled && isCms(spec.type))
    .map(({ spec, secrets }) => ({
      site: spec.id,
      connector_token_sha256: tokenSha256(secrets.connectorToken),
    }))

async function measureCaches(context: AgentContext, { spec, number }: RegisteredSite): Promise<CacheStats> {
  const { paths } = context
  const hasObjects = usesPhp(spec.type) && spec.object_cache
  const hasPages = spec.cache.enabled && spec.type !== 'static'
  const [objects, pages] = await Promise.all([
    hasObjects ? objectCacheStats(context, redisUserName(number)) : null,
    hasPages
      ? pageCacheStats(join(paths.siteLogs(spec.domain), 'access.log'), paths.pageCache(spec.id))
      : null,
  ])
  return { object_cache: objects, page_cache: pages }
}

const rememberedMs = 10_000

/** Counting looks at every key of every site and every file: those who ask often get the same answer. */
function remembered<Key, Value>(work: (key: Key) => Promise<Value>) {
  const known = new Map<Key, { until: number; value: Promise<Value> }>()
  const get = (key: Key): Promise<Value> => {
    const now = Date.now()
    for (const [old, { until }] of known) if (until < now) known.delete(old)
    const found = known.get(key)
    if (found) return found.value
    const value = work(key)
    known.set(key, { until: now + rememberedMs, value })
    value.catch(() => known.delete(key))
    return value
  }
  return { get, forget: (key: Key) => void known.delete(key) }
}
