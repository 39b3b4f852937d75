// The drop-in against a real Redis whose account may do nothing but what the drop-in needs.
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { redisCommands } from '../../../agent/src/cms/redis-commands.ts'
import { runCms } from '../../../agent/src/cms/runner.ts'
import { renderRedisAcl } from '../../../agent/src/object-cache/redis.ts'
import { type PrivateService, startRedis } from '../private-services.ts'
import { createPrivateSite, openPrivateHost, type PrivateHost } from '../private-wordpress.ts'

let host: PrivateHost
let redis: PrivateService

const account = { name: 'site-1', password: `it's a "secret" \\` }
const acl = renderRedisAcl('agent-password', [account, { name: 'site-2', password: 'other' }])

beforeAll(async () => {
  host = await openPrivateHost()
  redis = await startRedis(host.paths.root, host.paths.redisSocket, acl.trim().split('\n'))
}, 120_000)

afterAll(async () => {
  await redis?.stop()
  await host?.[Symbol.asyncDispose]()
})

const parts = join(import.meta.dirname, '../../../wordpress')
const semantics = join(parts, 'tests/object-cache-semantics.php')

function runSemantics(environment: Record<string, string>, settings: string[] = []): Record<string, boolean> {
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  const run = spawnSync(
    'php',
    [...settings, '-d', 'display_errors=stderr', '-d', 'error_reporting=-1', semantics],
    {
      env,
      encoding: 'utf8',
      timeout: 30_000,
    },
  )
  expect(run.stderr).toBe('')
  return JSON.parse(run.stdout) as Record<string, boolean>
}

const failures = (results: Record<string, boolean>) =>
  Object.keys(results).filter((name) => results[name] !== true)

const access = () => ({
  REEVE_REDIS_SOCKET: redis.socket,
  REEVE_REDIS_USER: account.name,
  REEVE_REDIS_PASSWORD: account.password,
  REEVE_REDIS_PREFIX: account.name,
})

test('the whole contract holds with Redis', () => {
  const results = runSemantics({ ...access(), EXPECT_REDIS: '1' })
  expect(Object.keys(results).length).toBeGreaterThan(110)
  expect(failures(results)).toEqual([])
})

test.each([
  ['no server listens', { REEVE_REDIS_SOCKET: '/nonexistent/redis.sock' }],
  ['the password is wrong', { REEVE_REDIS_PASSWORD: 'wrong' }],
  ['the prefix is not the account’s', { REEVE_REDIS_PREFIX: 'site-2' }],
])('the contract of a cache for one request holds when %s', (_, change) => {
  expect(failures(runSemantics({ ...access(), ...change }))).toEqual([])
})

test('the same without the constants, and without the extension', () => {
  expect(failures(runSemantics({}))).toEqual([])
  expect(failures(runSemantics(access(), ['-n', '-d', 'extension=posix']))).toEqual([])
})

test('without igbinary a value it wrote is a miss, and values keep working', () => {
  const store = join(parts, 'object-cache/class-reeve-cache-value.php')
  const script = `require '${store}'; $igbinary = hex2bin( '69000000021401060000000000' );
    echo json_encode( array( Reeve_Cache_Value::decode( $igbinary, $value ),
      Reeve_Cache_Value::decode( Reeve_Cache_Value::encode( array( false ) ), $value ), $value ) );`
  expect(execFileSync('php', ['-n', '-r', script], { encoding: 'utf8' })).toBe('[false,true,[false]]')
})

/** Runs code with the drop-in loaded. */
function php(code: string, settings: string[] = []): string {
  const load = `define( 'ABSPATH', '/' );
    foreach ( array( 'SOCKET', 'USER', 'PASSWORD', 'PREFIX' ) as $n ) define( "REEVE_REDIS_$n", getenv( "REEVE_REDIS_$n" ) );
    function is_multisite() { return false; } function wp_suspend_cache_addition() { return false; }
    require '${join(parts, 'object-cache/object-cache.php')}'; wp_cache_init(); ${code}`
  return execFileSync('php', [...settings, '-r', load], {
    env: { PATH: process.env['PATH'] ?? '', ...access() },
    encoding: 'utf8',
  })
}

function redisCli(user: string, password: string, ...command: string[]): string {
  const login = ['--user', user, '--pass', password, '--no-auth-warning']
  return execFileSync('redis-cli', ['-s', redis.socket, ...login, ...command], { encoding: 'utf8' }).trim()
}

test('every command the account has is used, and it has no other', () => {
  redisCli('reeve-agent', 'agent-password', 'DEL', 'site-1:generations')
  redisCli('reeve-agent', 'agent-password', 'CONFIG', 'RESETSTAT')
  runSemantics({ ...access(), EXPECT_REDIS: '1' })
  const stats = redisCli('reeve-agent', 'agent-password', 'INFO', 'commandstats')
  const used = [...stats.matchAll(/^cmdstat_([a-z]+):.*$/gm)].filter(([line]) => !line.includes(':calls=0,'))
  const names = used
    .map(([, name]) => name)
    .filter((name) => !['auth', 'config', 'info', 'hello', 'command', 'del'].includes(name ?? ''))
  expect(new Set(names)).toEqual(new Set(redisCommands))
  expect(stats).not.toMatch(/rejected_calls=[1-9]/)
})

test.each([
  ['GET', 'site-2:x'],
  ['SCAN', '0'],
  ['KEYS', '*'],
  ['DBSIZE'],
  ['FLUSHDB'],
  ['EVAL', 'return 1', '0'],
  ['CONFIG', 'GET', '*'],
  ['PUBLISH', 'site-1:x', 'y'],
])('the account may not %s %s', (...command) => {
  expect(redisCli(account.name, account.password, ...command)).toContain('NOPERM')
})

test('losing the generations loses the cache and brings nothing old back', () => {
  php(`wp_cache_set( 'old', 'value' ); wp_cache_flush();`)
  php(`wp_cache_set( 'x', 'before' );`)
  redisCli('reeve-agent', 'agent-password', 'DEL', 'site-1:generations')
  expect(php(`echo json_encode( array( wp_cache_get( 'x' ), wp_cache_get( 'old' ) ) );`)).toBe(
    '[false,false]',
  )
})

test('a server without memory never leaves an old value in place', () => {
  php(`wp_cache_set( 'x', 'old' );`)
  redisCli('reeve-agent', 'agent-password', 'CONFIG', 'SET', 'maxmemory', '1')
  try {
    expect(php(`wp_cache_set( 'x', 'new' ); echo wp_cache_get( 'x' );`)).toBe('new')
  } finally {
    redisCli('reeve-agent', 'agent-password', 'CONFIG', 'SET', 'maxmemory', '0')
  }
  expect(php(`echo json_encode( wp_cache_get( 'x' ) );`)).toBe('false')
})

test('hits and misses of all requests add up for the panel', () => {
  redisCli('reeve-agent', 'agent-password', 'DEL', 'site-1:stats')
  for (let index = 0; index < 3; index++)
    php(`wp_cache_get( 'absent' ); wp_cache_set( 'p', 1 ); wp_cache_get( 'p' ); wp_cache_close();`)
  expect(redisCli('reeve-agent', 'agent-password', 'HMGET', 'site-1:stats', 'hits', 'misses')).toBe('3\n3')
})

test('WordPress works with it, with Redis and after Redis went away', async () => {
  const access = {
    socket: redis.socket,
    user: account.name,
    password: account.password,
    prefix: account.name,
  }
  const site = await createPrivateSite(host, { number: 1, redis: access })
  const status = () =>
    runCms({
      paths: host.paths,
      site: site.user,
      release: site.release,
      url: site.url,
      command: 'status',
      args: {},
    })
  expect(await status()).toMatchObject({ object_cache: true, permalinks: '/%postname%/' })
  const keys = redisCli('reeve-agent', 'agent-password', 'KEYS', '*').split('\n')
  expect(keys.length).toBeGreaterThan(3)
  expect(keys.filter((key) => !key.startsWith('site-1:'))).toEqual([])
  const plugin = join(site.release, 'wp-content/plugins/hello.php')
  writeFileSync(plugin, '<?php /* Plugin Name: Hello */')
  const activate = { command: 'activate-plugin', args: { plugin: 'hello.php' } } as const
  await runCms({ paths: host.paths, site: site.user, release: site.release, url: site.url, ...activate })
  expect((await status()).plugins).toMatchObject([{ file: 'hello.php', active: true }])
  await redis.stop()
  expect(await status()).toMatchObject({ object_cache: true, plugins: [{ file: 'hello.php', active: true }] })
})
