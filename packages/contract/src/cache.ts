import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { SiteId } from './primitives.ts'
import { Accepted } from './tasks.ts'

const SiteParams = z.strictObject({ id: SiteId })

/** What to purge: everything, or these addresses of the site's own names. */
export const PurgeTarget = z.union([
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({
    urls: z.array(z.string().min(1).max(2000)).min(1).max(500),
    /** Types of posts: pages that list some of them beside their own content go as well. */
    listings: z
      .array(z.string().regex(/^[a-z0-9_-]{1,40}$/, 'is not a type of posts'))
      .max(50)
      .optional(),
  }),
])
export type PurgeTarget = z.infer<typeof PurgeTarget>

export const Purged = z.strictObject({
  /** Addresses that were cached and are not any more; null after a purge of everything. */
  purged: z.number().nullable(),
})

export const purgeCache = endpoint({
  name: 'purgeCache',
  summary: "Purge the site's page cache, whole or by address",
  method: 'POST',
  path: '/api/sites/{id}/purge',
  role: 'manage',
  scope: 'site',
  params: SiteParams,
  body: PurgeTarget,
  response: Purged,
})

/** Called by the site's own WordPress plugin with the site's token. */
export const connectorPurge = endpoint({
  name: 'connectorPurge',
  summary: 'Purge addresses of the site whose token is presented; a foreign host is refused',
  method: 'POST',
  path: '/api/connector/purge',
  role: 'connector',
  scope: 'site',
  body: PurgeTarget,
  response: Purged,
})

export const warmCache = endpoint({
  name: 'warmCache',
  summary: "Visit the pages of the site's sitemap so that they are cached",
  method: 'POST',
  path: '/api/sites/{id}/warm',
  role: 'manage',
  scope: 'site',
  params: SiteParams,
  response: Accepted,
  status: 202,
})

const Hits = z.strictObject({ hits: z.number(), misses: z.number() })

export const CacheStats = z.strictObject({
  /** null while the object cache is off. */
  object_cache: Hits.extend({ memory_bytes: z.number(), keys: z.number() }).nullable(),
  /** Counted over the newest part of the access log; null while the page cache is off. */
  page_cache: Hits.extend({
    bypassed: z.number(),
    files: z.number(),
    bytes: z.number(),
    since: z.string().nullable(),
  }).nullable(),
})
export type CacheStats = z.infer<typeof CacheStats>

export const getCacheStats = endpoint({
  name: 'getCacheStats',
  summary: 'Hit rate and memory of the object cache, and hit rate of the page cache',
  method: 'GET',
  path: '/api/sites/{id}/cache-stats',
  role: 'auth',
  scope: 'site',
  params: SiteParams,
  response: CacheStats,
})

/** The old token is refused as soon as this has answered. */
export const rotateConnectorToken = endpoint({
  name: 'rotateConnectorToken',
  summary: "Replace the token of the site's WordPress plugin",
  method: 'POST',
  path: '/api/sites/{id}/connector/rotate',
  role: 'manage',
  scope: 'site',
  params: SiteParams,
})

export const cachePurge = operation({
  name: 'cache.purge',
  summary: "Purge a site's page cache, whole or by address",
  input: z.strictObject({ id: SiteId, target: PurgeTarget }),
  output: Purged,
})

/** Steps that `cache.warm` reports. */
export const cacheWarmSteps = [
  'find pages',
  'first quarter',
  'second quarter',
  'third quarter',
  'last quarter',
] as const

export const cacheWarm = operation({
  name: 'cache.warm',
  summary: "Visit the pages of a site's sitemap; only its own names, bounded in number and time",
  input: z.strictObject({ id: SiteId }),
  output: z.strictObject({ visited: z.number(), failed: z.number() }),
})

export const cacheStats = operation({
  name: 'cache.stats',
  summary: 'Hit rates and sizes of the caches of a site',
  input: z.strictObject({ id: SiteId }),
  output: CacheStats,
})

export const connectorRotate = operation({
  name: 'connector.rotate',
  summary: "Make a new connector token and write it into the site's configuration",
  input: z.strictObject({ id: SiteId }),
  output: z.strictObject({ connector_token_sha256: z.string() }),
})

export const connectorList = operation({
  name: 'connector.list',
  summary: 'Answer the hashes of the tokens that sites present',
  input: z.strictObject({}),
  output: z.strictObject({
    connectors: z.array(z.strictObject({ site: SiteId, connector_token_sha256: z.string() })),
  }),
})
