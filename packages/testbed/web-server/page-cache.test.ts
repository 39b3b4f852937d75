import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrivateServer, type PrivateServer, type PrivateSite } from './private-server.ts'
import { rendered, writeStandIn } from './stand-in.ts'
import { type Answer, type Visit, visit } from './visit.ts'

let server: PrivateServer
let blog: PrivateSite
let shop: PrivateSite
let shortLived: PrivateSite
let app: PrivateSite

beforeAll(async () => {
  server = await createPrivateServer()
  blog = server.addSite('wordpress')
  shop = server.addSite('woocommerce', { profile: 'commerce' })
  shortLived = server.addSite('wordpress', { cache: { enabled: true, ttl_s: 1, bypass_paths: [] } })
  app = server.addSite('php')
  for (const site of [blog, shop, shortLived, app]) {
    writeStandIn(site.release, [
      'index.php',
      'wp-login.php',
      'wp-admin/index.php',
      'wp-admin/network/index.php',
    ])
  }
  await server.start()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const ask = (site: PrivateSite, path: string, more: Partial<Visit> = {}): Promise<Answer> =>
  visit({ port: server.ports.https, host: site.domain, path, ...more })
const cacheOf = (answer: Answer) => answer.headers['x-cache']

describe('a page', () => {
  test('is rendered once and then served from the cache', async () => {
    const first = await ask(blog, '/hello/')
    expect([first.status, cacheOf(first), rendered(first).count]).toEqual([200, 'MISS', 1])
    const second = await ask(blog, '/hello/')
    expect([second.status, cacheOf(second), rendered(second).count]).toEqual([200, 'HIT', 1])
    expect(second.headers['x-content-type-options']).toBe('nosniff')
    expect(second.headers.server).toBe('nginx')
  })

  test('that many ask for at once is rendered once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(blog, '/slow-together/')))
    expect(answers.map((answer) => rendered(answer).count)).toEqual(Array(20).fill(1))
  })

  test('asked for with HEAD is stored whole', async () => {
    const head = await ask(blog, '/head/', { method: 'HEAD' })
    expect([head.status, cacheOf(head), head.body.length]).toEqual([200, 'MISS', 0])
    const get = await ask(blog, '/head/')
    expect([cacheOf(get), rendered(get).count, rendered(get).method]).toEqual(['HIT', 1, 'GET'])
    expect(head.headers['content-length']).toBe(String(get.body.length))
    expect(cacheOf(await ask(blog, '/head/', { method: 'HEAD' }))).toBe('HIT')
  })

  test.each([
    ['has a cookie set', '/cookie/'],
    ['says so with X-Accel-Expires', '/private/'],
    ['varies by more than its encoding', '/language/'],
    ['is an error', '/error/'],
  ])('that %s is not stored', async (_why, path) => {
    expect(rendered(await ask(blog, path)).count).toBe(1)
    expect(rendered(await ask(blog, path)).count).toBe(2)
  })
})

describe('goes around the cache', () => {
  test.each<[string, Partial<Visit>]>([
    ['a signed-in user', { headers: { cookie: 'a=b; wordpress_logged_in_1f=me' } }],
    ['a commenter', { headers: { cookie: 'comment_author_1f=me' } }],
    ['a reader of a protected post', { headers: { cookie: 'wp-postpass_1f=x' } }],
    [
      'a form',
      { method: 'POST', body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['a query', { path: '/around/?s=word' }],
    ['a request with credentials', { headers: { authorization: 'Basic eDp5' } }],
  ])('%s', async (_who, how) => {
    const stored = rendered(await ask(blog, '/around/')).count
    const answer = await ask(blog, '/around/', how)
    expect(answer.status).toBe(200)
    expect(cacheOf(answer)).not.toBe('HIT')
    expect(rendered(answer).count).toBeGreaterThan(stored)
    // And leaves nothing behind for others.
    const next = await ask(blog, '/around/')
    expect([cacheOf(next), rendered(next).count]).toEqual(['HIT', stored])
  })

  test.each([
    '/wp-admin/',
    '/wp-admin/network/',
    '/wp-login.php',
    '/wp-json/wp/v2/posts',
    '/wp-admin/unknown',
  ])('%s', async (path) => {
    expect(rendered(await ask(blog, path)).count).toBe(1)
    expect(rendered(await ask(blog, path)).count).toBe(2)
  })

  test.each(['/cart/', '/checkout/', '/my-account/orders/', '/de/checkout/'])(
    '%s of a shop',
    async (path) => {
      expect(rendered(await ask(shop, path)).count).toBe(1)
      expect(rendered(await ask(shop, path)).count).toBe(2)
    },
  )

  test('a visitor with a cart', async () => {
    await ask(shop, '/shelf/')
    const headers = { cookie: 'woocommerce_items_in_cart=1; woocommerce_cart_hash=abc' }
    expect(cacheOf(await ask(shop, '/shelf/', { headers }))).toBe('BYPASS')
    expect(cacheOf(await ask(shop, '/shelf/'))).toBe('HIT')
  })

  test('no visitor with a statistics cookie', async () => {
    await ask(blog, '/counted/')
    expect(cacheOf(await ask(blog, '/counted/', { headers: { cookie: '_ga=GA1.2.3' } }))).toBe('HIT')
  })
})

describe('compression', () => {
  test('is stored once for every spelling of a client that takes gzip', async () => {
    const spellings = ['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8, *;q=0.1', 'deflate,gzip', 'GZIP']
    for (const [at, spelling] of spellings.entries()) {
      const answer = await ask(blog, '/packed/', { headers: { 'accept-encoding': spelling } })
      expect([answer.headers['content-encoding'], cacheOf(answer)]).toEqual([
        'gzip',
        at === 0 ? 'MISS' : 'HIT',
      ])
      expect(answer.headers['content-length']).toBe(String(answer.body.length))
      expect(answer.headers.vary).toMatch(/accept-encoding/i)
      expect(rendered({ body: gunzipSync(answer.body) }).count).toBe(1)
    }
  })

  test.each(['', 'identity', 'br', 'gzip;q=0', 'deflate, gzip; q=0.0, br', 'notgzip'])(
    'is not forced on a client that sends "%s"',
    async (spelling) => {
      const path = `/plain/${encodeURIComponent(spelling)}`
      await ask(blog, path, { headers: { 'accept-encoding': 'gzip' } })
      const answer = await ask(blog, path, { headers: { 'accept-encoding': spelling } })
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(rendered(answer).server['REEVE_ENCODING']).toBe('')
    },
  )

  test('is added by nginx to what the application left plain', async () => {
    const answer = await ask(blog, '/uncompressed/', { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(rendered({ body: gunzipSync(answer.body) }).count).toBe(1)
  })
})

describe('an expired page', () => {
  test('is served at once while one request renders it anew', async () => {
    await ask(shortLived, '/slow-expiring/')
    await sleep(2200) // nginx counts a page's second in whole seconds of the clock
    const start = performance.now()
    const stale = await Promise.all(Array.from({ length: 5 }, () => ask(shortLived, '/slow-expiring/')))
    expect(performance.now() - start).toBeLessThan(900) // the page takes a second to render
    for (const answer of stale) {
      expect(['STALE', 'UPDATING']).toContain(cacheOf(answer))
      expect(rendered(answer).count).toBe(1)
    }
    await sleep(1300)
    expect(rendered(await ask(shortLived, '/slow-expiring/')).count).toBe(2)
  })
})

describe('an application of its own', () => {
  test('is cached only as it says', async () => {
    expect(rendered(await ask(app, '/quiet/')).count).toBe(1)
    expect(rendered(await ask(app, '/quiet/')).count).toBe(2)
    expect(rendered(await ask(app, '/public/')).count).toBe(1)
    const second = await ask(app, '/public/')
    expect([cacheOf(second), rendered(second).count]).toEqual(['HIT', 1])
  })
})

describe('a release switched by rename(2)', () => {
  test('is seen at once, with no error and no stale answer', async () => {
    const signedIn = { headers: { cookie: 'wordpress_logged_in_1f=me' } }
    for (const release of ['a', 'b']) {
      const folder = join(blog.home, 'releases', release)
      mkdirSync(folder, { recursive: true })
      writeStandIn(folder)
      writeFileSync(join(folder, 'version.txt'), release)
    }
    let isRunning = true
    let answered = 0
    const problems: string[] = []
    const clients = Array.from({ length: 6 }, async () => {
      while (isRunning) {
        const [page, file] = await Promise.all([ask(blog, '/switched/', signedIn), ask(blog, '/version.txt')])
        if (page.status !== 200 || file.status !== 200) problems.push(`${page.status} ${file.status}`)
        answered++
      }
    })
    for (let round = 0; round < 20; round++) {
      const release = round % 2 ? 'a' : 'b'
      const next = join(blog.home, 'next')
      symlinkSync(`releases/${release}`, next)
      renameSync(next, join(blog.home, 'current'))
      expect(rendered(await ask(blog, '/switched/', signedIn)).release).toBe(release)
      expect((await ask(blog, '/version.txt')).body.toString()).toBe(release)
      await sleep(50)
    }
    isRunning = false
    await Promise.all(clients)
    expect(problems).toEqual([])
    expect(answered).toBeGreaterThan(50)
  })
})

// Last: PHP does not come back.
describe('without PHP', () => {
  test('stored pages are served and others answer 502', async () => {
    await ask(shortLived, '/kept/')
    await server.stopPhp()
    await sleep(1500)
    const kept = await ask(shortLived, '/kept/')
    expect([kept.status, rendered(kept).count]).toEqual([200, 1])
    await sleep(200)
    const again = await ask(shortLived, '/kept/')
    expect([again.status, rendered(again).count]).toEqual([200, 1])
    expect((await ask(shortLived, '/unknown/')).status).toBe(502)
  })
})
