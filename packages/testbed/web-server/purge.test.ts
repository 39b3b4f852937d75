// Purging in a real nginx, with its purge module and without: what goes, what stays, and when.
import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PurgeTarget } from '@reeve/contract/cache.ts'
import { SiteSpec } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedPath } from '../../agent/src/cache/keys.ts'
import { purgePages } from '../../agent/src/cache/purge.ts'
import { readStoredPage, storedFiles } from '../../agent/src/cache/stored-pages.ts'
import type { Paths } from '../../agent/src/paths.ts'
import { createPrivateServer, type PrivateServer, type PrivateSite, purgeModule } from './private-server.ts'
import { type Answer, type Visit, visit } from './visit.ts'

const page = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$mark = dirname(__DIR__, 2) . '/tmp/purge-mark';
$before = (string) @file_get_contents($mark);
$body = trim(file_get_contents(__DIR__ . '/version.txt'));
if (str_starts_with($path, '/slow')) { touch(__DIR__ . '/tmp/begun'); usleep(700000); }
if (str_starts_with($path, '/listing')) header('X-Reeve-Lists: post,product');
if ((string) @file_get_contents($mark) !== $before) header('X-Accel-Expires: 0');
if (($_SERVER['REEVE_ENCODING'] ?? '') === 'gzip') header('Vary: Accept-Encoding');
header('Content-Length: ' . strlen($body));
echo $body;
`

const servers: PrivateServer[] = []
afterAll(async () => {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
})

function setVersion(site: PrivateSite, version: string): void {
  const path = join(site.release, 'version.txt')
  writeFileSync(`${path}.new`, version)
  renameSync(`${path}.new`, path)
}

describe.each([
  { how: 'with the purge module', modules: [purgeModule], rounds: 12 },
  // Each one waits until nginx has forgotten which files were open.
  { how: 'without the purge module', modules: [], rounds: 4 },
])('$how', ({ modules, rounds }) => {
  let server: PrivateServer
  let blog: PrivateSite
  let other: PrivateSite

  beforeAll(async () => {
    server = await createPrivateServer(modules)
    servers.push(server)
    blog = server.addSite('wordpress', { aliases: ['alias.example.test' as never] })
    other = server.addSite('wordpress')
    for (const site of [blog, other]) {
      mkdirSync(join(site.release, 'tmp'))
      chmodSync(join(site.release, 'tmp'), 0o777)
      mkdirSync(dirname(server.paths.purgeMark(site.domain)), { recursive: true })
      writeFileSync(join(site.release, 'index.php'), page)
      setVersion(site, 'old')
    }
    await server.start()
  })

  const ask = (path: string, more: Partial<Visit> = {}): Promise<Answer> =>
    visit({ port: server.ports.https, host: blog.domain, path, ...more })
  const said = async (path: string, more: Partial<Visit> = {}) => {
    const answer = await ask(path, more)
    return [answer.headers['x-cache'], answer.body.toString()]
  }
  const gzip = { headers: { 'accept-encoding': 'gzip' } }
  const purge = (target: PurgeTarget, paths: Paths = server.paths) => {
    const { id, domain, aliases, type, profile, cache } = blog.input
    const fixed = { title: 'x', admin_email: null, admin_user: null, object_cache: false, php_version: null }
    const spec = {
      id,
      domain,
      aliases,
      type,
      profile,
      cache,
      ...fixed,
      php_workers: null,
      proxy_upstream: null,
    }
    return purgePages({ paths, nginxFeatures: blog.input.nginx }, SiteSpec.parse(spec), target)
  }
  const stored = async () => {
    const pages = await Promise.all(
      (await storedFiles(server.paths.pageCache(blog.input.id))).map((path) => readStoredPage(path)),
    )
    return pages.map((found) => found?.key ?? '').sort((a, b) => a.localeCompare(b))
  }
  const fill = async (paths: readonly string[]) => {
    setVersion(blog, 'old')
    for (const path of paths) await ask(path)
  }

  test('an address goes in both its encodings and under every name, and nothing else does', async () => {
    await fill(['/a/', '/b/'])
    await ask('/a/', gzip)
    await ask('/a/', { host: 'alias.example.test' })
    expect(await said('/a/')).toEqual(['HIT', 'old'])
    await expect.poll(stored, { timeout: 10_000 }).toHaveLength(4)
    setVersion(blog, 'new')
    expect(
      await purge({ urls: [`http://${blog.domain}:81/a/`, `https://${blog.domain}/never-cached/`] }),
    ).toBe(2)
    expect(await stored()).toEqual([`https${blog.domain}/b/`])
    expect(await said('/a/')).toEqual(['MISS', 'new'])
    expect(await said('/a/')).toEqual(['HIT', 'new'])
    expect(await said('/a/', gzip)).toEqual(['MISS', 'new'])
    expect(await said('/a/', { host: 'alias.example.test' })).toEqual(['MISS', 'new'])
    expect(await said('/b/')).toEqual(['HIT', 'old'])
  })

  test('what an address is spelled like does not matter', async () => {
    const spellings = ['/%C3%BC/', '/%c3%bc/']
    await fill([...spellings, '/%c3%BC/', '/%6c/', '/x//y/', '/x/../y/', '/x/?', '/x/?a=b'])
    const odd = async () => (await stored()).filter((key) => key.includes('%') || key.includes('/x'))
    const kept = spellings.map((path) => `https${blog.domain}${path}`)
    await expect.poll(odd, { timeout: 10_000 }).toEqual(expect.arrayContaining(kept))
    expect(await odd()).toHaveLength(kept.length)
    expect(await purge({ urls: [`https://${blog.domain}/ü/`] })).toBe(2)
    expect(await odd()).toEqual([])
  })

  test('pages that list a type of posts go, pages that do not stay', async () => {
    await fill(['/listing/', '/c/'])
    setVersion(blog, 'new')
    const urls = [`https://${blog.domain}/none/`]
    expect(await purge({ urls, listings: ['page'] })).toBe(0)
    expect(await said('/listing/')).toEqual(['HIT', 'old'])
    expect(await purge({ urls, listings: ['product'] })).toBe(1)
    expect(await said('/listing/')).toEqual(['MISS', 'new'])
    expect((await ask('/listing/')).headers['x-reeve-lists']).toBeUndefined()
    expect(await said('/c/')).toEqual(['HIT', 'old'])
  })

  test('the whole site goes and another one stays', async () => {
    await fill(Array.from({ length: 40 }, (_, index) => `/page-${index}/`))
    await ask('/page-0/', { host: other.domain })
    setVersion(blog, 'new')
    expect(await purge({ all: true })).toBeNull()
    expect(await stored()).toEqual([])
    for (const index of [0, 17, 39]) expect(await said(`/page-${index}/`)).toEqual(['MISS', 'new'])
    expect(await said('/page-0/', { host: other.domain })).toEqual(['HIT', 'old'])
    expect(await said('/page-0/')).toEqual(['HIT', 'new'])
  })

  test('pages go also while nginx does not answer', async () => {
    await fill(['/a/', '/b/'])
    setVersion(blog, 'new')
    const paths = { ...server.paths, nginxStatusSocket: join(server.paths.run, 'nobody-listens.sock') }
    expect(await purge({ urls: [`https://${blog.domain}/a/`] }, paths)).toBe(1)
    expect(await said('/a/')).toEqual(['MISS', 'new'])
    expect(await said('/b/')).toEqual(['HIT', 'old'])
  })

  test('a page that was being made during the purge is not stored', async () => {
    await fill([])
    const path = '/slow-in-flight/'
    const begun = () => readdirSync(join(blog.release, 'tmp')).includes('begun')
    const slow = ask(path)
    await expect.poll(begun, { timeout: 10_000 }).toBe(true)
    setVersion(blog, 'new')
    await purge({ urls: [`https://${blog.domain}${path}`] })
    expect((await slow).body.toString()).toBe('old')
    expect(await said(path)).toEqual(['MISS', 'new'])
    expect(await said(path)).toEqual(['HIT', 'new'])
  })

  test('under load no visitor gets an older page than was there when the purge had returned', async () => {
    let published = 0
    let isOver = false
    const outdated: string[] = []
    let visits = 0
    const visitor = async () => {
      while (!isOver) {
        const atLeast = published
        const answer = await ask('/busy/')
        visits++
        if (Number(answer.body.toString()) < atLeast) outdated.push(`${answer.body.toString()} < ${atLeast}`)
      }
    }
    setVersion(blog, '0')
    const visitors = Array.from({ length: 4 }, visitor)
    for (let version = 1; version <= rounds; version++) {
      setVersion(blog, String(version))
      await purge(version % 3 === 0 ? { all: true } : { urls: [`https://${blog.domain}/busy/`] })
      published = version
    }
    isOver = true
    await Promise.all(visitors)
    expect(outdated).toEqual([])
    expect(visits).toBeGreaterThan(rounds)
  })

  test.each([
    ['https://other.example.net/', 'other.example.net'],
    ['https://wordpress-1.example.test/', 'wordpress-1.example.test'],
    ['/relative/', '/relative/'],
    ['ftp://wordpress-0.example.test/', 'ftp:'],
    ['https://127.0.0.1/', '127.0.0.1'],
    [`https://wordpress-0.example.test@evil.example/`, 'evil.example'],
  ])('%s is refused and nothing is purged', async (address, named) => {
    await fill(['/kept/'])
    const urls = [`https://${blog.domain}/kept/`, address]
    await expect(purge({ urls })).rejects.toThrow(named)
    await expect(purge({ urls })).rejects.toMatchObject({ code: 'refused' })
    expect((await said('/kept/'))[0]).toBe('HIT')
  })

  test('a key is found where nginx keeps it', async () => {
    await fill(['/where/'])
    const path = storedPath(server.paths.pageCache(blog.input.id), `https${blog.domain}/where/`)
    const found = { key: `https${blog.domain}/where/`, listings: [] }
    await expect.poll(() => readStoredPage(path), { timeout: 10_000 }).toMatchObject(found)
  })
})
