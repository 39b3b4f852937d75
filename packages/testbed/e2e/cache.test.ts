// The page cache as an operator works it: purge, warm, and the numbers.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { CacheStats } from '@reeve/contract/cache.ts'
import { Domain, PhpVersion } from '@reeve/contract/primitives.ts'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathsBelow } from '../../agent/src/paths.ts'
import { askFrontPage } from '../../agent/src/php/front-page.ts'
import { type Tenant, tenantOf, writeAs } from '../src/isolation/tenant.ts'
import { type Panel, type TaskWithLog, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { type Page, visit } from '../src/visitor.ts'
import { caching } from '../suites/caching.ts'

let reeve: Reeve
let panel: Panel
let blog: Tenant
let bystander: Tenant
let app: Tenant

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  const made = await Promise.all([
    panel.createSite({ ...wordpressFields, domain: 'blog.example.com', aliases: ['www.blog.example.com'] }),
    panel.createSite({ ...wordpressFields, domain: 'bystander.example.com' }),
    panel.createSite({ type: 'php', domain: 'app.example.com' }),
    panel.createSite({ type: 'static', domain: 'static.example.com' }),
  ])
  const [first, second, third] = made.map((site) => tenantOf(reeve, site))
  blog = first!
  bystander = second!
  app = third!
}, 180_000)

afterAll(() => reeve[Symbol.asyncDispose](), 60_000)

caching(() => reeve)

const see = ({ domain }: Tenant, path: string, headers: Record<string, string> = {}): Promise<Page> =>
  visit(domain, { port: reeve.httpsPort, path, headers })
const outcome = async (site: Tenant, path: string, headers: Record<string, string> = {}) =>
  (await see(site, path, headers)).headers['x-cache']
const gzip = { 'accept-encoding': 'gzip' }

/** Visits until the page is served from the cache. */
async function store(site: Tenant, path: string, headers: Record<string, string> = {}): Promise<void> {
  await expect.poll(() => outcome(site, path, headers), { timeout: 30_000, interval: 100 }).toBe('HIT')
}

const purge = (site: Tenant, target: unknown) => panel.call('POST', `/api/sites/${site.id}/purge`, target)

async function warm(site: Tenant): Promise<TaskWithLog> {
  const { status, body } = await panel.call<{ task: Task }>('POST', `/api/sites/${site.id}/warm`)
  expect(status).toBe(202)
  return await panel.taskEnd(body.task.id, 120_000)
}

const accessLog = ({ domain }: Tenant) =>
  readFileSync(join(reeve.root, 'var/log/reeve', domain, 'access.log'), 'utf8')

it('plays no part when the agent has the pool make the front page', async () => {
  const { body: site } = await panel.call<Site>('GET', `/api/sites/${blog.id}`)
  const said = await askFrontPage(pathsBelow(reeve.root), {
    domain: Domain.parse(site.domain),
    type: site.type,
    user: blog.user,
    version: PhpVersion.parse(site.php_version),
    httpsPort: reeve.httpsPort,
  })
  expect(said).not.toMatch(/^(?:Status|Location):/m)
  expect(said).toContain('</html>')
})

it('purges an address in both encodings before the next visitor comes, and leaves the rest', async () => {
  for (const headers of [{}, gzip]) {
    await store(blog, '/', headers)
    await store(blog, '/hello-world/', headers)
  }
  const answer = await purge(blog, { urls: ['http://www.blog.example.com/hello-world/'] })
  expect([answer.status, answer.body]).toEqual([200, { purged: 1 }])
  expect(await outcome(blog, '/hello-world/')).toBe('MISS')
  expect(await outcome(blog, '/hello-world/', gzip)).toBe('MISS')
  expect(await outcome(blog, '/')).toBe('HIT')
  expect(await outcome(blog, '/', gzip)).toBe('HIT')
})

it('purges a whole site and costs another one nothing', async () => {
  for (const path of ['/', '/hello-world/', '/sample-page/']) {
    await store(blog, path)
    await store(bystander, path)
  }
  expect(await purge(blog, { all: true })).toMatchObject({ status: 200, body: { purged: null } })
  for (const path of ['/', '/hello-world/', '/sample-page/']) {
    expect(await outcome(blog, path)).toBe('MISS')
    expect(await outcome(bystander, path)).toBe('HIT')
  }
})

it('refuses an address of somebody else and names it', async () => {
  const answer = await purge(blog, { urls: ['https://blog.example.com/', 'https://bystander.example.com/'] })
  expect([answer.status, answer.body]).toMatchObject([
    422,
    { code: 'refused', host: 'bystander.example.com' },
  ])
  expect(await outcome(bystander, '/')).toBe('HIT')
})

it('begins empty when it is switched on again', async () => {
  await store(blog, '/')
  for (const enabled of [false, true]) {
    const change = { cache: { enabled } }
    const { body } = await panel.call<{ task: Task }>('PUT', `/api/sites/${blog.id}/config`, change)
    expect(await panel.taskEnd(body.task.id)).toMatchObject({ state: 'succeeded' })
    if (!enabled) expect(await outcome(blog, '/')).toBeUndefined()
  }
  expect(await outcome(blog, '/')).toBe('MISS')
  await store(blog, '/')
})

describe('warming', () => {
  it('leaves the pages of the sitemap in the cache', async () => {
    await purge(blog, { all: true })
    const task = await warm(blog)
    expect(task).toMatchObject({ kind: 'cache.warm', state: 'succeeded', progress: 1 })
    expect(task.steps.map(({ name }) => name)).toContain('find pages')
    expect(task.log).toMatch(/\d+ addresses found\.\n\d+ visited, 0 of them failed\./)
    for (const path of ['/', '/hello-world/', '/sample-page/', '/category/uncategorized/']) {
      expect([path, await outcome(blog, path, gzip)]).toEqual([path, 'HIT'])
    }
  })

  it('asks nobody but the site, whatever its sitemap names and its pages answer', async () => {
    const sitemap = `<urlset>${[
      `https://bystander.example.com:${reeve.httpsPort}/warmed-by-another/`,
      `https://app.example.com/own/`,
      `http://127.0.0.1:${reeve.port}/api/bootstrap`,
      `https://app.example.com/away`,
    ]
      .map((address) => `<url><loc>${address}</loc></url>`)
      .join('')}</urlset>`
    writeAs(app, join(app.code.dir, 'sitemap.xml'), sitemap)
    writeAs(
      app,
      join(app.code.dir, 'robots.txt'),
      'Sitemap: https://bystander.example.com/robots-led-here.xml\n',
    )
    const away = `https://bystander.example.com:${reeve.httpsPort}/redirected-here/`
    writeAs(
      app,
      join(app.code.dir, 'index.php'),
      `<?php if ( '/away' === $_SERVER['REQUEST_URI'] ) { header( 'Location: ${away}', true, 302 ); exit; } echo 'page';`,
    )
    const task = await warm(app)
    expect(task).toMatchObject({ state: 'succeeded' })
    expect(task.log).toContain('3 addresses found.')
    const warmed = () =>
      accessLog(app)
        .split('\n')
        .filter((line) => line.includes('Reeve cache warmer'))
    await expect
      .poll(() => warmed().filter((line) => /GET \/(?:own\/|away) /.test(line)).length, { timeout: 20_000 })
      .toBe(2)
    // The log is written once a second: what was asked before this is in it when this is.
    await see(bystander, '/?asked-last')
    await expect.poll(() => accessLog(bystander), { timeout: 20_000 }).toContain('asked-last')
    expect(accessLog(bystander)).not.toMatch(/warmed-by-another|redirected-here|robots-led-here/)
  })

  it('is refused where nothing is cached', async () => {
    const { body } = await panel.call<{ sites: { id: string; type: string }[] }>('GET', '/api/sites')
    const id = body.sites.find(({ type }) => type === 'static')?.id
    expect(await panel.call('POST', `/api/sites/${id}/warm`)).toMatchObject({ status: 422 })
  })
})

it('serves a proxied application too, where the application says for how long', async () => {
  await using upstream = await startApplication()
  const { port } = upstream
  const proxied = await panel.createSite({
    ...{ type: 'proxy', domain: 'proxied.example.com', proxy_upstream: `http://127.0.0.1:${port}` },
  })
  const at = (path: string) => visit(proxied.domain, { port: reeve.httpsPort, path })
  const stored = async (path: string) => {
    await at(path)
    return (await at(path)).headers['x-cache']
  }
  expect(await Promise.all(['/kept', '/kept-too', '/'].map(stored))).toEqual(['HIT', 'HIT', 'MISS'])
  const one = { urls: [`https://${proxied.domain}/kept`] }
  expect(await panel.call('POST', `/api/sites/${proxied.id}/purge`, one)).toMatchObject({
    ...{ status: 200, body: { purged: 1 } },
  })
  expect((await at('/kept')).headers['x-cache']).toBe('MISS')
  expect((await at('/kept-too')).headers['x-cache']).toBe('HIT')
  const { body } = await panel.call<CacheStats>('GET', `/api/sites/${proxied.id}/cache-stats`)
  expect(body).toMatchObject({ object_cache: null, page_cache: { files: 2 } })
  const warming = await panel.call<{ task: Task }>('POST', `/api/sites/${proxied.id}/warm`)
  expect(await panel.taskEnd(warming.body.task.id)).toMatchObject({ state: 'succeeded' })
  expect((await panel.deleteSite(proxied.id)).error).toBeNull()
})

/** Says of some of its pages that they may be kept. */
async function startApplication(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/kept')) response.setHeader('cache-control', 'max-age=60')
    response.end('a page')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The application has no port.')
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

it('counts what visitors got from the cache, and what it holds', async () => {
  const stats = async () =>
    (await panel.call<CacheStats>('GET', `/api/sites/${bystander.id}/cache-stats`)).body
  await purge(bystander, { all: true })
  await store(bystander, '/')
  for (let at = 0; at < 10; at++) await see(bystander, '/')
  await see(bystander, '/?asks=something')
  const counted = async () => (await stats()).page_cache
  // The log is written once a second, and the numbers are kept for ten.
  await expect
    .poll(async () => (await counted())?.hits ?? 0, { timeout: 40_000, interval: 1000 })
    .toBeGreaterThan(10)
  const page = await counted()
  expect(page).toMatchObject({ files: 1, since: expect.stringMatching(/^20\d\d-.*Z$/) })
  expect(page?.misses).toBeGreaterThan(0)
  expect(page?.bypassed).toBeGreaterThan(0)
  expect(page?.bytes).toBeGreaterThan(5000)
  expect((await stats()).object_cache).toBeNull()
})
