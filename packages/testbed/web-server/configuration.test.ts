import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { type Domain, ProxyUpstream } from '@reeve/contract/primitives.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { groupId } from '../../agent/src/host-accounts.ts'
import { renderPasswords } from '../../agent/src/web-server/render-passwords.ts'
import { sha512Crypt } from '../../api/src/access/sha512-crypt.ts'
import { createPrivateServer, type PrivateServer, type PrivateSite } from './private-server.ts'
import { rendered, writeStandIn } from './stand-in.ts'
import { type Answer, until, type Visit, visit } from './visit.ts'

let server: PrivateServer
let upstream: Server
const site = {} as Record<'blog' | 'open' | 'guarded' | 'proxied' | 'edited', PrivateSite> // filled by beforeAll
const redirects: PrivateSite['input']['redirects'] = [
  { from: '/old', to: '/new?from=old', status: 301 },
  { from: '/elsewhere', to: 'https://example.org/there', status: 302 },
]

const www = (name: string) => `www.${name}` as Domain // a label before a parsed name

beforeAll(async () => {
  upstream = createServer((request, response) => response.end(JSON.stringify(request.headers)))
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo // of a listening TCP server
  server = await createPrivateServer()
  const blogName = 'wordpress-0.example.test' as Domain // as the private server names its first site
  site.blog = server.addSite('wordpress', {
    aliases: [www(blogName)],
    redirected_names: [{ from: www(blogName), to: blogName }],
    redirects,
    hsts: true,
    cache: { enabled: true, ttl_s: 600, bypass_paths: ['/live/'] },
  })
  site.open = server.addSite('wordpress', { https_redirect: false, redirects, hsts: true })
  site.guarded = server.addSite('php')
  site.proxied = server.addSite('proxy', {
    proxy_upstream: ProxyUpstream.parse(`http://127.0.0.1:${port}`),
    https_redirect: false,
  })
  site.edited = server.addSite('php', { https_redirect: false, nginx_snippet: snippet })
  const scripts = ['index.php', 'wp-login.php', 'xmlrpc.php']
  for (const { release } of [site.blog, site.open, site.guarded, site.edited]) writeStandIn(release, scripts)
  writeFileSync(`${server.paths.acmeChallenges}/token-1`, 'token-1.thumbprint')
  await server.start()
}, 60_000)
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  upstream.close()
})

const snippet = `
# Everything that a request meets before a location is chosen, and what a location would inherit.
deny 203.0.113.0/24;
if ($http_user_agent ~ "badbot") { return 403; }
rewrite ^/shop/(.*)$ /store/$1 permanent;
rewrite ^/\\.well-known/ /caught redirect;
location /teapot { return 418; }
`

const ask = (of: PrivateSite, path: string, more: Partial<Visit> = {}): Promise<Answer> =>
  visit({ port: server.ports.https, host: of.domain, path, ...more })
const askPlain = (of: PrivateSite, path: string, more: Partial<Visit> = {}): Promise<Answer> =>
  visit({ port: server.ports.http, scheme: 'http', host: of.domain, path, ...more })
/** Until no worker is left that could answer by the old configuration. */
async function reload(): Promise<void> {
  const old = server.workerPids()
  process.kill(Number(readFileSync(server.paths.nginxPid, 'utf8')), 'SIGHUP')
  expect(await until(() => old.every((pid) => !existsSync(`/proc/${pid}`)), 30_000)).toBe(true)
}
const leadsTo = ({ status, headers }: Answer) => [status, headers.location]

describe('a redirect', () => {
  test('is made for its exact path, with any query, over HTTP and HTTPS in one step', async () => {
    const { https } = server.ports
    expect(leadsTo(await ask(site.blog, '/old'))).toEqual([301, '/new?from=old'])
    expect(leadsTo(await ask(site.blog, '/old?a=b'))).toEqual([301, '/new?from=old'])
    expect(leadsTo(await ask(site.blog, '/elsewhere'))).toEqual([302, 'https://example.org/there'])
    const plain = leadsTo(await askPlain(site.blog, '/old'))
    expect(plain).toEqual([301, `https://${site.blog.domain}:${https}/new?from=old`])
    for (const path of ['/old/', '/older', '/OLD']) expect((await ask(site.blog, path)).status).toBe(200)
  })
})

describe('a name that leads to another', () => {
  test('does so with path and query, over HTTP and HTTPS in one step', async () => {
    const target = `https://${site.blog.domain}:${server.ports.https}/page?a=b`
    const other = { ...site.blog, domain: www(site.blog.domain) }
    expect(leadsTo(await ask(other, '/page?a=b'))).toEqual([301, target])
    expect(leadsTo(await askPlain(other, '/page?a=b'))).toEqual([301, target])
  })
})

describe('without a redirect to HTTPS', () => {
  test('pages are served over both, from the cache, and the application knows which', async () => {
    for (const [askOne, scheme, port] of [
      [askPlain, 'http', server.ports.http],
      [ask, 'https', server.ports.https],
    ] as const) {
      const first = await askOne(site.open, '/both/')
      expect([first.status, first.headers['x-cache']]).toEqual([200, 'MISS'])
      expect((await askOne(site.open, '/both/')).headers['x-cache']).toBe('HIT')
      const { server: seen } = rendered(first)
      expect(seen['HTTP_HOST']).toBe(`${site.open.domain}:${port}`)
      expect(seen['HTTPS']).toBe(scheme === 'https' ? 'on' : undefined)
      expect([seen['REQUEST_SCHEME'], seen['SERVER_PORT']]).toEqual([scheme, String(port)])
    }
  })
  test('a proxied application knows which', async () => {
    for (const [askOne, scheme, port] of [
      [askPlain, 'http', server.ports.http],
      [ask, 'https', server.ports.https],
    ] as const) {
      expect(JSON.parse((await askOne(site.proxied, '/')).body.toString())).toMatchObject({
        'x-forwarded-proto': scheme,
        'x-forwarded-host': `${site.proxied.domain}:${port}`,
        'x-forwarded-port': String(port),
      })
    }
  })
})

describe('HSTS', () => {
  test('is said over HTTPS only', async () => {
    const header = 'strict-transport-security'
    expect((await ask(site.blog, '/')).headers[header]).toBe('max-age=31536000')
    expect((await ask(site.open, '/')).headers[header]).toBe('max-age=31536000')
    expect((await askPlain(site.open, '/')).headers[header]).toBeUndefined()
    expect((await askPlain(site.blog, '/')).headers[header]).toBeUndefined()
    expect((await ask(site.guarded, '/')).headers[header]).toBeUndefined()
  })
})

describe('a path that goes around the cache', () => {
  test('is made anew each time, and others are not', async () => {
    expect(rendered(await ask(site.blog, '/live/scores')).count).toBe(1)
    expect(rendered(await ask(site.blog, '/live/scores')).count).toBe(2)
    expect(rendered(await ask(site.blog, '/alive/live/')).count).toBe(1)
    expect(rendered(await ask(site.blog, '/alive/live/')).count).toBe(1)
  })
})

describe('a challenge', () => {
  const names = ['blog', 'open', 'guarded', 'proxied', 'edited'] as const
  test.each(names)('of %s is answered over HTTP and HTTPS', async (name) => {
    const of = site[name]
    for (const askOne of [askPlain, ask]) {
      const answer = await askOne(of, '/.well-known/acme-challenge/token-1')
      expect([answer.status, answer.body.toString()]).toEqual([200, 'token-1.thumbprint'])
    }
  })
})

describe("an administrator's own directives", () => {
  test('are obeyed over HTTP and HTTPS', async () => {
    for (const askOne of [askPlain, ask]) {
      expect((await askOne(site.edited, '/', { headers: { 'user-agent': 'a badbot' } })).status).toBe(403)
      expect((await askOne(site.edited, '/shop/a')).headers.location).toMatch(/\/store\/a$/)
      expect((await askOne(site.edited, '/teapot')).status).toBe(418)
      expect((await askOne(site.edited, '/')).status).toBe(200)
    }
  })
})

describe('a password prompt', () => {
  const credentials = (password: string) => ({
    authorization: `Basic ${Buffer.from(`editor:${password}`).toString('base64')}`,
  })

  test('stands before pages that were cached without it, and lets nobody see one that was made behind it', async () => {
    const { guarded } = site
    await ask(guarded, '/public/page')
    expect((await ask(guarded, '/public/page')).headers['x-cache']).toBe('HIT')

    const path = server.paths.sitePasswords(guarded.input.id)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, renderPasswords({ user: 'editor', password_hash: sha512Crypt('a good password') }))
    chownSync(path, 0, groupId('www-data'))
    chmodSync(path, 0o640)
    guarded.input = { ...guarded.input, password_file: path }
    server.writeVhost(guarded)
    await reload()

    const refused = await ask(guarded, '/public/page')
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Basic realm="Protected"'])
    expect((await ask(guarded, '/public/page', { headers: credentials('a bad password') })).status).toBe(401)
    const seen = await ask(guarded, '/public/secret', { headers: credentials('a good password') })
    expect(seen.status).toBe(200)
    expect(rendered(seen).server).not.toHaveProperty('PHP_AUTH_PW')
    expect(rendered(seen).server).not.toHaveProperty('HTTP_AUTHORIZATION', expect.stringContaining('Basic'))

    guarded.input = { ...guarded.input, password_file: null }
    server.writeVhost(guarded)
    await reload()
    // What was made for somebody with the password was not kept for others.
    expect((await ask(guarded, '/public/secret')).headers['x-cache']).toBe('MISS')
  })
})

// Last: the counter remembers this address.
describe('signing in', () => {
  const login = (of: PrivateSite, script: string) =>
    ask(of, script, {
      method: 'POST',
      body: 'log=editor&pwd=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  test.each(['/wp-login.php', '/xmlrpc.php'])(
    'at %s is slowed down after ten tries at once',
    async (script) => {
      const of = script === '/xmlrpc.php' ? site.open : site.blog
      for (let at = 0; at < 10; at++) expect((await login(of, script)).status).toBe(200)
      const answers = await Promise.all(Array.from({ length: 10 }, () => login(of, script)))
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(refused[0]?.headers['retry-after']).toBe('60')
      // Whoever only looks, and visitors of other sites, are not slowed down.
      expect((await ask(of, '/wp-login.php')).status).toBe(200)
      expect((await ask(of, '/')).headers['retry-after']).toBeUndefined()
      expect((await login(site.guarded, script)).status).toBe(200)
    },
  )

  test('is not slowed down where the limit is off', async () => {
    site.edited.input = { ...site.edited.input, login_rate_limit: false }
    server.writeVhost(site.edited)
    await reload()
    const answers = await Promise.all(Array.from({ length: 15 }, () => login(site.edited, '/wp-login.php')))
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200))
  })
})
