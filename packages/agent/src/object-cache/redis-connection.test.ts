import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { objectCacheStats } from '../cache/object-cache-stats.ts'
import { pathsBelow } from '../paths.ts'
import { waitUntil } from '../processes.ts'
import { startTemporary } from '../services/temporary.ts'
import { connectRedis, parseReply } from './redis-connection.ts'
import { renderRedisAcl } from './redis.ts'
import { renderRedis } from './render-redis.ts'

test.each([
  ['+OK\r\n', { reply: 'OK', next: 5 }],
  [':42\r\n', { reply: 42, next: 5 }],
  ['-ERR no\r\n', { reply: null, error: 'ERR no', next: 9 }],
  ['$3\r\na\r\n\r\n', { reply: 'a\r\n', next: 9 }],
  ['$-1\r\n', { reply: null, next: 5 }],
  ['*2\r\n$1\r\na\r\n*1\r\n:1\r\n', { reply: ['a', [1]], next: 19 }],
  ['*-1\r\n', { reply: null, next: 5 }],
  ['HTTP/1.1 200\r\n', { reply: null, error: 'its answer is not in its protocol', next: 14 }],
])('reads %j', (text, expected) => {
  expect(parseReply(Buffer.from(text), 0)).toEqual(expected)
})

test('every reply that is not complete is waited for', () => {
  const whole = Buffer.from('*3\r\n$5\r\nhello\r\n:7\r\n*1\r\n+x\r\n')
  for (let length = 0; length < whole.length; length++)
    expect(parseReply(whole.subarray(0, length), 0)).toBeUndefined()
  expect(parseReply(whole, 0)?.reply).toEqual(['hello', 7, ['x']])
})

test('counts what is below one prefix alone, whatever its keys are called', async () => {
  const root = mkdtempSync('/var/tmp/reeve-redis-')
  onTestFinished(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  const paths = pathsBelow(root)
  for (const file of [paths.redisSocket, paths.redisPid, paths.redisLog, paths.redisAcl])
    mkdirSync(dirname(file), { recursive: true })
  mkdirSync(paths.redisData, { recursive: true })
  writeFileSync(paths.redisConf, renderRedis(paths, { memory_mb: 1024 }))
  writeFileSync(paths.redisAcl, renderRedisAcl('secret', []))
  await using running = startTemporary('/usr/bin/redis-server', [paths.redisConf])
  expect(await waitUntil(() => running.hasEnded() || existsSync(paths.redisSocket), 10_000)).toBe(true)
  const server = { paths, redisPassword: 'secret' }
  using redis = await connectRedis(server)
  for (let at = 0; at < 2500; at++) await redis.ask('SET', `site-1:k${at}`, 'x'.repeat(1000))
  for (const key of ['site-10:k', 'site-2:k', 'xsite-1:k', 'site-1']) await redis.ask('SET', key, 'x')
  await redis.ask('SET', 'site-1:\r\n$3\r\nabc"; \0 *', 'x')
  await redis.ask('HSET', 'site-1:stats', 'hits', '30', 'misses', '4')
  const stats = await objectCacheStats(server, 'site-1')
  expect(stats).toMatchObject({ hits: 30, misses: 4, keys: 2502 })
  expect(stats.memory_bytes).toBeGreaterThan(2_500_000)
  expect(stats.memory_bytes).toBeLessThan(10_000_000)
  expect(await objectCacheStats(server, 'site-3')).toEqual({ hits: 0, misses: 0, keys: 0, memory_bytes: 0 })
  await redis.ask('SET', 'site-4:stats', 'not a hash')
  await expect(objectCacheStats(server, 'site-4')).rejects.toThrow('WRONGTYPE')
  await expect(connectRedis({ paths, redisPassword: 'wrong' })).rejects.toThrow('WRONGPASS')
  await expect(connectRedis({ paths: pathsBelow('/nonexistent'), redisPassword: 'x' })).rejects.toThrow(
    '(redis-server) does not answer',
  )
})
