// The object cache of hosted sites: what it saves, what one site can see of another's, and life without it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CacheStats } from '@reeve/contract/cache.ts'
import { siteApply, SiteSpec } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgentClient } from '../../api/src/agent-client.ts'
import { copyDatabase } from '../src/database-copy.ts'
import { type Tenant, tenantOf } from '../src/isolation/tenant.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { redis } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'
import { installCode, measurePage, runCode } from '../src/wordpress-code.ts'

let reeve: Reeve
let panel: Panel
let blog: Tenant
let other: Tenant

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  const fields = { ...wordpressFields, object_cache: true }
  const sites = await Promise.all(
    ['blog.example.com', 'other.example.com'].map((domain) => panel.createSite({ ...fields, domain })),
  )
  const [first, second] = sites.map((site) => tenantOf(reeve, site))
  blog = first!
  other = second!
  for (const tenant of [blog, other]) installCode(tenant)
}, 180_000)

afterAll(() => reeve[Symbol.asyncDispose](), 60_000)

const php = <Result>(code: string, tenant = blog) => runCode<Result>(reeve, tenant, code)
const status = async (path: string) => (await visit(blog.domain, { port: reeve.httpsPort, path })).status

it.each(['/', '/hello-world/', '/sample-page/'])(
  'leaves a third of the queries or less for the second uncached render of %s',
  async (path) => {
    await measurePage(reeve, blog, path)
    await php(`return wp_cache_flush();`)
    const first = await measurePage(reeve, blog, path)
    const second = await measurePage(reeve, blog, path)
    console.log(`queries of ${path}: ${first.queries}, then ${second.queries}`)
    expect(first.queries).toBeGreaterThan(10)
    expect(second.queries * 3).toBeLessThanOrEqual(first.queries)
    expect(second.misses).toBeLessThan(first.misses)
  },
)

it('is counted and measured for its own site', async () => {
  const stats = async (tenant: Tenant) =>
    (await panel.call<CacheStats>('GET', `/api/sites/${tenant.id}/cache-stats`)).body.object_cache
  await php(
    `for ( $i = 0; $i < 300; $i++ ) wp_cache_set( "key $i", str_repeat( 'x', 1000 ), 'e2e' ); return null;`,
  )
  const [mine, others] = await Promise.all([stats(blog), stats(other)])
  expect(mine?.keys).toBeGreaterThan((others?.keys ?? Infinity) + 200)
  expect(mine?.memory_bytes).toBeGreaterThan((others?.memory_bytes ?? Infinity) + 250_000)
  expect(mine?.hits).toBeGreaterThan(0)
  expect(mine?.misses).toBeGreaterThan(0)
})

describe('with its own credentials a site', () => {
  /** The answers of Redis to commands sent by PHP in the site. */
  const send = (commands: readonly (readonly string[])[]) =>
    php<string[]>(`
      $said = array();
      foreach ( json_decode( base64_decode( '${Buffer.from(JSON.stringify(commands)).toString('base64')}' ), true ) as $command ) {
        $redis = new Redis();
        $redis->connect( REEVE_REDIS_SOCKET, 0, 5, null, 0, 5 );
        $redis->auth( array( REEVE_REDIS_USER, REEVE_REDIS_PASSWORD ) );
        try {
          $answer = $redis->rawCommand( ...$command );
          $said[] = $redis->getLastError() ?? json_encode( $answer );
        } catch ( RedisException $exception ) {
          $said[] = $exception->getMessage();
        }
      }
      return $said;`)

  const commands = (own: string, foreign: string): string[][] =>
    [
      ...[
        'SCAN 0',
        'KEYS *',
        'SELECT 0',
        'SELECT 1',
        'MONITOR',
        'DBSIZE',
        'RANDOMKEY',
        'FLUSHDB',
        'FLUSHALL',
      ],
      ...[
        'INFO',
        'CONFIG GET *',
        'CONFIG SET maxmemory 1',
        'CLIENT LIST',
        'CLIENT KILL TYPE normal',
        'ACL LIST',
      ],
      ...[
        'ACL WHOAMI',
        'ACL SETUSER default on nopass ~* +@all',
        'PUBSUB CHANNELS',
        'SUBSCRIBE x',
        'PSUBSCRIBE *',
      ],
      ...[
        'PUBLISH x y',
        'SCRIPT LOAD return',
        'FUNCTION LIST',
        'SAVE',
        'BGSAVE',
        'SHUTDOWN',
        'REPLICAOF 127.0.0.1 1',
      ],
      ...[
        'SYNC',
        'PSYNC ? -1',
        'SLOWLOG GET',
        'LATENCY LATEST',
        'SWAPDB 0 1',
        'MODULE LIST',
        'DEBUG SLEEP 0',
        'MULTI',
      ],
      ...[`DUMP ${foreign}`, `DUMP ${own}`, `GET ${foreign}`, `MGET ${own} ${foreign}`, `SET ${foreign} x`],
      ...[`UNLINK ${foreign}`, `DEL ${foreign}`, `EXISTS ${foreign}`, `TYPE ${foreign}`, `TTL ${foreign}`],
      ...[`INCRBY ${foreign} 1`, `HGETALL ${foreign}`, `HSET ${foreign} a b`, `RENAME ${own} ${foreign}`],
      ...[
        `COPY ${foreign} ${own}`,
        `MEMORY USAGE ${foreign}`,
        `OBJECT ENCODING ${foreign}`,
        `SORT ${foreign}`,
      ],
      ...[
        `RESTORE ${foreign} 0 x`,
        `MIGRATE 127.0.0.1 1 ${foreign} 0 10`,
        `WATCH ${foreign}`,
        `BITCOUNT ${foreign}`,
      ],
    ]
      .map((line) => line.split(' '))
      .concat([
        ['EVAL', "return redis.call('KEYS', '*')", '0'],
        ['EVAL', 'return 1', '1', foreign],
        ['EVALSHA', 'a'.repeat(40), '0'],
        ['GET', `${own}\0../${foreign}`.replace(own, 'site-0:')],
      ])

  it('reaches neither keys of another site nor the server', async () => {
    const [own, foreign] = [`${blog.user}:planted`, `${other.user}:planted`]
    redis(reeve.root, [`SET ${foreign} secret`, `SET ${own} mine`])
    const list = commands(own, foreign)
    const said = await send(list)
    const answered = list.flatMap((command, at) =>
      /NOPERM|^ERR DEBUG command not allowed/.test(said[at] ?? '')
        ? []
        : [`${command.join(' ')} → ${said[at]}`],
    )
    expect(answered).toEqual([])
    expect(said).toHaveLength(list.length)
    expect(list.length).toBeGreaterThan(60)
    // The same commands work where they may.
    expect(
      await send([
        ['GET', own],
        ['SET', own, 'x'],
        ['GET', own],
      ]),
    ).toEqual(['"mine"', 'true', '"x"'])
    expect(redis(reeve.root, [`GET ${foreign}`]).join()).toContain('secret')
  })

  it('is nobody else', async () => {
    const said = await send([
      ['AUTH', 'default', ''],
      ['AUTH', other.user, 'x'],
      ['AUTH', 'reeve-agent', 'x'],
      ['HELLO', '3', 'AUTH', other.user, 'x'],
    ])
    expect(said.filter((text) => !text.includes('WRONGPASS'))).toEqual([])
  })

  it('does not meet values of the other one under the same key', async () => {
    await php(`wp_cache_set( 'same', 'of blog', 'options' ); return null;`)
    await php(`wp_cache_set( 'same', 'of other', 'options' ); return null;`, other)
    expect(await php(`return wp_cache_get( 'same', 'options' );`)).toBe('of blog')
    await php(`wp_cache_flush(); return null;`, other)
    expect(await php(`return wp_cache_get( 'same', 'options' );`)).toBe('of blog')
  })
})

it('is not missed when its server hangs or dies', async () => {
  const pid = reeve.servicePid('redis')
  process.kill(pid, 'SIGSTOP')
  try {
    expect(await status('/?hanging')).toBe(200)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  process.kill(pid, 'SIGKILL')
  expect(await status('/?killed')).toBe(200)
  const works = () => php<boolean>(`return $GLOBALS['wp_object_cache']->redis_status();`)
  await expect.poll(works, { timeout: 60_000, interval: 500 }).toBe(true)
})

it('goes and comes with the document of its site', async () => {
  const agent = createAgentClient(join(reeve.root, 'run/reeve/agent.sock'))
  const apply = async (object_cache: boolean) => {
    using registry = copyDatabase(join(reeve.root, 'var/lib/reeve-agent/registry.db'))
    const [row] = registry.rows('SELECT spec FROM sites WHERE id = ?', blog.id)
    const site = { ...SiteSpec.parse(JSON.parse(String(row?.['spec']))), object_cache }
    await agent.call(siteApply, { site, admin_password_hash: null }, { deadlineMs: 60_000 })
  }
  const dropIn = join(blog.home, 'current/wp-content/object-cache.php')
  const keys = () => redis(reeve.root, [`EVAL "return #redis.call('KEYS', ARGV[1])" 0 ${blog.user}:*`]).join()
  expect(existsSync(dropIn)).toBe(true)
  await apply(false)
  expect(existsSync(dropIn)).toBe(false)
  expect(await status('/?without')).toBe(200)
  expect(await php(`return (bool) wp_using_ext_object_cache();`)).toBe(false)
  expect(keys()).toBe('0')
  await apply(true)
  expect(existsSync(dropIn)).toBe(true)
  const works = () =>
    php<boolean>(`return wp_using_ext_object_cache() && $GLOBALS['wp_object_cache']->redis_status();`)
  // PHP looks at its files again after two seconds.
  await expect.poll(works, { timeout: 30_000, interval: 500 }).toBe(true)
  expect(Number(keys())).toBeGreaterThan(0)
})
