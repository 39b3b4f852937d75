import type { CacheStats } from '@reeve/contract/cache.ts'
import { connectRedis, type RedisConnection } from '../object-cache/redis-connection.ts'
import type { RedisServer } from '../object-cache/redis.ts'

/** Looking through all keys of all sites stops here, and what was not looked at is estimated. */
const mostLookedAt = 200_000
const mostMs = 2000
const keysAtOnce = 1000

// One piece of the walk; names stay in the server, which would otherwise send those of every site.
const countPiece = [
  "local page = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3]) local bytes = 0",
  "for _, key in ipairs(page[2]) do bytes = bytes + (redis.call('MEMORY', 'USAGE', key) or 0) end",
  'return {page[1], #page[2], bytes}',
].join(' ')

/** Of the keys below `prefix:`. */
export async function objectCacheStats(
  server: Pick<RedisServer, 'paths' | 'redisPassword'>,
  prefix: string,
): Promise<NonNullable<CacheStats['object_cache']>> {
  using redis = await connectRedis(server)
  const [hits, misses] = numbers(await redis.ask('HMGET', `${prefix}:stats`, 'hits', 'misses'))
  const { keys, bytes } = await countKeys(redis, `${prefix}:*`)
  return { hits: hits ?? 0, misses: misses ?? 0, keys, memory_bytes: bytes }
}

async function countKeys(redis: RedisConnection, pattern: string): Promise<{ keys: number; bytes: number }> {
  const total = Number(await redis.ask('DBSIZE'))
  const deadline = Date.now() + mostMs
  let [cursor, keys, bytes, lookedAt] = ['0', 0, 0, 0]
  do {
    const piece = await redis.ask('EVAL', countPiece, '0', cursor, pattern, String(keysAtOnce))
    const [next, found, size] = Array.isArray(piece) ? piece : []
    cursor = String(next ?? '0')
    keys += Number(found)
    bytes += Number(size)
    lookedAt += keysAtOnce
  } while (cursor !== '0' && lookedAt < mostLookedAt && Date.now() < deadline)
  const share = cursor === '0' ? 1 : Math.max(1, total / lookedAt)
  return { keys: Math.round(keys * share), bytes: Math.round(bytes * share) }
}

const numbers = (reply: unknown): number[] =>
  Array.isArray(reply) ? reply.map((item) => Math.max(0, Math.trunc(Number(item)) || 0)) : []
