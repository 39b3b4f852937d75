import { execFile } from 'node:child_process'
import { chownSync, lchownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { ProxyUpstream } from '@reeve/contract/primitives.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrivateServer, type PrivateServer, type PrivateSite } from './private-server.ts'
import { fillBlog, fillFiles } from './site-contents.ts'
import { rendered, writeStandIn } from './stand-in.ts'
import { type Answer, speak, type Visit, visit } from './visit.ts'

let server: PrivateServer
let upstream: Server
let upstreamCount = 0
const site = {} as Record<'blog' | 'php' | 'laravel' | 'files' | 'proxied', PrivateSite> // filled by beforeAll

beforeAll(async () => {
  upstream = createServer((request, response) => {
    if (request.url === '/public') response.setHeader('Cache-Control', 'public, max-age=60')
    response.end(JSON.stringify({ count: ++upstreamCount, headers: request.headers }))
  })
  upstream.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello')
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo // of a listening TCP server
  server = await createPrivateServer()
  site.blog = server.addSite('wordpress')
  site.php = server.addSite('php')
  site.laravel = server.addSite('laravel')
  site.files = server.addSite('static')
  site.proxied = server.addSite('proxy', { proxy_upstream: ProxyUpstream.parse(`http://127.0.0.1:${port}`) })
  fillBlog(site.blog)
  writeStandIn(site.php.release, ['index.php', 'forum/index.php', 'wiki-1.2/index.php', 'uploads/shell.php'])
  writeStandIn(join(site.laravel.release, 'public'), ['index.php', 'other.php', 'storage/shell.php'])
  fillFiles(site.files)
  writeFileSync(join(server.paths.acmeChallenges, 'token-1'), 'token-1.thumbprint')
  await server.start()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  upstream.close()
})

const ask = (of: PrivateSite, path: string, more: Partial<Visit> = {}): Promise<Answer> =>
  visit({ port: server.ports.https, host: of.domain, path, ...more })
const textOf = async (of: PrivateSite, path: string) => (await ask(of, path)).body.toString()

describe('an unknown host', () => {
  test('gets no byte over HTTP', async () => {
    expect(await speak(server.ports.http, 'GET / HTTP/1.1\r\nHost: unknown.test\r\n\r\n')).toBe('')
    expect(await speak(server.ports.http, 'GET / HTTP/1.0\r\n\r\n')).toBe('')
    const known = `GET / HTTP/1.1\r\nHost: ${site.blog.domain}\r\nConnection: close\r\n\r\n`
    expect(await speak(server.ports.http, known)).toContain('301')
  })
  test('gets no certificate', async () => {
    const handshake = (servername: string) =>
      new Promise<string>((resolve) => {
        const socket = connectTls({
          port: server.ports.https,
          host: '127.0.0.1',
          servername,
          rejectUnauthorized: false,
        })
        socket.on('secureConnect', () => socket.end(() => resolve('certificate')))
        socket.on('error', (error) => resolve(error.message))
      })
    expect(await handshake('unknown.test')).toMatch(/unrecognized name/)
    expect(await handshake(site.blog.domain)).toBe('certificate')
  })
  test('behind the name of a known one gets no answer', async () => {
    const headers = { host: 'unknown.test' }
    await expect(ask(site.blog, '/', { headers })).rejects.toThrow(/socket hang up|ECONNRESET/)
  })
})

describe('over HTTP', () => {
  test('every path leads to the same path over HTTPS', async () => {
    const answer = await visit({
      port: server.ports.http,
      host: site.blog.domain,
      path: '/a//b/?c=%0d%0ad',
      scheme: 'http',
    })
    const to = `https://${site.blog.domain}:${server.ports.https}/a//b/?c=%0d%0ad`
    expect([answer.status, answer.headers.location]).toEqual([301, to])
  })
  test('a challenge is answered, also over HTTPS and of every type', async () => {
    const path = '/.well-known/acme-challenge/token-1'
    for (const of of Object.values(site)) {
      const plain = await visit({ port: server.ports.http, host: of.domain, path, scheme: 'http' })
      expect([plain.status, plain.body.toString()]).toEqual([200, 'token-1.thumbprint'])
      expect(await textOf(of, path)).toBe('token-1.thumbprint')
    }
    const missing = {
      port: server.ports.http,
      host: site.blog.domain,
      path: `${path}x`,
      scheme: 'http',
    } as const
    expect((await visit(missing)).status).toBe(404)
  })
})

describe('WordPress', () => {
  test.each([
    ...[
      '/.env',
      '/.git/config',
      '/wp-config.php',
      '/wp-config.php.bak',
      '/dump.sql',
      '/notes.inc',
      '/page.pht',
    ],
    ...['/wp-admin/install.php', '/wp-includes/load.php', '/wp-content/uploads/shell.php', '/missing.php'],
    ...['/wp-content/uploads/photo.jpg/x.php', '/index.php/x.php', '/readme.html/.php', '/%2egit/config'],
    ...[
      '/wp-content/uploads/shell.php/x.jpg',
      '//wp-config.php',
      '/./wp-config.php',
      '/wp-content/uploads/SHELL.PHP',
    ],
  ])('hides %s', async (path) => {
    const answer = await ask(site.blog, path)
    expect(answer.status).toBe(404)
    expect(answer.body.toString()).not.toContain('content of')
  })

  test('never serves a script as text', async () => {
    expect(await textOf(site.blog, '/UPPER.PHP')).not.toContain('<?php')
  })

  test('serves files, and has the front controller answer for those that are missing', async () => {
    expect(await textOf(site.blog, '/readme.html')).toBe('content of readme.html')
    expect(await textOf(site.blog, '/wp-content/uploads/photo.jpg')).toContain('photo.jpg')
    for (const path of ['/robots.txt', '/wp-sitemap.xml', '/version-1.2/', '/feed.html', '/missing.css']) {
      expect(rendered(await ask(site.blog, path)).script).toBe('/index.php')
    }
    expect((await ask(site.blog, '/robots.txt')).headers['x-cache']).toBe('HIT')
  })

  test('lets browsers keep files, longer when the address has a version', async () => {
    expect((await ask(site.blog, '/app.css')).headers['cache-control']).toBe('max-age=86400')
    expect((await ask(site.blog, '/app.css?ver=1')).headers['cache-control']).toBe('max-age=31536000')
    expect((await ask(site.blog, '/readme.html')).headers['cache-control']).toBeUndefined()
    expect((await ask(site.blog, '/wp-login.php?ver=1')).headers['cache-control']).toBeUndefined()
  })

  test('opens its administration', async () => {
    expect(rendered(await ask(site.blog, '/wp-admin/')).script).toBe('/wp-admin/index.php')
    const bare = await ask(site.blog, '/wp-admin')
    expect([bare.status, bare.headers.location]).toEqual([301, '/wp-admin/'])
  })

  test('tells PHP about the visit in its own words only', async () => {
    const headers = {
      ...{
        proxy: 'evil',
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.test',
      },
      ...{ 'x-original-url': '/evil', 'x-http-method-override': 'DELETE', 'accept-encoding': 'br, evil' },
    }
    const { server: told } = rendered(await ask(site.blog, '/told/?a=b', { headers }))
    expect(JSON.stringify(told)).not.toContain('evil')
    expect(told).toMatchObject({
      ...{
        HTTPS: 'on',
        HTTP_HOST: `${site.blog.domain}:${server.ports.https}`,
        SERVER_PORT: String(server.ports.https),
      },
      ...{
        REQUEST_URI: '/told/?a=b',
        QUERY_STRING: 'a=b',
        DOCUMENT_ROOT: site.blog.release,
        REMOTE_ADDR: '127.0.0.1',
      },
    })
  })
})

describe('a link', () => {
  test("to another user's file is refused, to one of the same owner followed", async () => {
    const secret = join(site.php.home, 'secret.txt')
    writeFileSync(secret, 'secret of another site')
    chownSync(secret, site.php.user.uid, site.php.user.gid)
    const link = (name: string, target: string, uid: number) => {
      symlinkSync(target, join(site.blog.release, name))
      lchownSync(join(site.blog.release, name), uid, uid)
    }
    const { uid } = site.blog.user
    link('stolen.txt', secret, uid)
    link('stolen-folder', site.php.home, uid)
    link('stolen.php', join(site.php.release, 'index.php'), uid)
    // As a release links to the shared core: root's link to root's folder outside the site.
    const core = join(server.paths.root, 'core')
    mkdirSync(core)
    writeFileSync(join(core, 'core.js'), 'shared core')
    link('wp-core', core, 0)
    expect(await textOf(site.blog, '/wp-core/core.js')).toBe('shared core')
    link('shared.txt', join(site.blog.release, 'readme.html'), 0)
    for (const path of ['/stolen.txt', '/stolen-folder/secret.txt']) {
      // As if there were no file: the application answers.
      expect(rendered(await ask(site.blog, path)).script).toBe('/index.php')
    }
    const control = join(site.blog.release, 'stolen.txt')
    expect(readFileSync(control, 'utf8')).toBe('secret of another site')
    expect((await ask(site.blog, '/stolen.php')).status).toBe(404)
    expect(await textOf(site.blog, '/shared.txt')).toBe('content of readme.html')
  })
})

describe('other types', () => {
  test('a PHP site may hold applications in folders, and runs nothing that was uploaded', async () => {
    expect(rendered(await ask(site.php, '/forum/')).script).toBe('/forum/index.php')
    expect(rendered(await ask(site.php, '/wiki-1.2/')).script).toBe('/wiki-1.2/index.php')
    expect(rendered(await ask(site.php, '/pretty/address')).script).toBe('/index.php')
    expect((await ask(site.php, '/uploads/shell.php')).status).toBe(404)
  })
  test('Laravel is served from public and runs its entry point alone', async () => {
    expect(rendered(await ask(site.laravel, '/users/1')).script).toBe('/index.php')
    expect(rendered(await ask(site.laravel, '/index.php')).script).toBe('/index.php')
    for (const path of ['/other.php', '/storage/shell.php'])
      expect((await ask(site.laravel, path)).status).toBe(404)
  })
  test('static files have pretty addresses, a page for what is missing, and no source of scripts', async () => {
    expect(await textOf(site.files, '/')).toBe('front')
    expect(await textOf(site.files, '/about')).toBe('about')
    const missing = await ask(site.files, '/missing')
    expect([missing.status, missing.body.toString()]).toEqual([404, 'nothing here'])
    expect((await ask(site.files, '/index.php')).status).toBe(404)
    const packed = await ask(site.files, '/app.js', { headers: { 'accept-encoding': 'gzip' } })
    expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual(['gzip', 'Accept-Encoding'])
    expect(packed.body).toEqual(gzipSync('compressed twin'))
  })
})

describe('a proxied site', () => {
  test('passes on who asks, in its own words', async () => {
    const headers = {
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': 'evil.test',
      forwarded: 'for=192.0.2.1',
    }
    const told = JSON.parse(
      await ask(site.proxied, '/a?b=c', { headers }).then((answer) => answer.body.toString()),
    )
    expect(told.headers).toMatchObject({
      ...{ host: `${site.proxied.domain}:${server.ports.https}`, 'x-forwarded-for': '127.0.0.1' },
      ...{ 'x-forwarded-proto': 'https', 'x-forwarded-host': `${site.proxied.domain}:${server.ports.https}` },
    })
    expect(told.headers.forwarded).toBeUndefined()
  })
  test('is cached as the application says', async () => {
    expect(await textOf(site.proxied, '/quiet')).not.toBe(await textOf(site.proxied, '/quiet'))
    expect(await textOf(site.proxied, '/public')).toBe(await textOf(site.proxied, '/public'))
    expect((await ask(site.proxied, '/public')).headers['x-cache']).toBe('HIT')
  })
  test('can switch to a WebSocket', async () => {
    const socket = connectTls({
      ...{
        port: server.ports.https,
        host: '127.0.0.1',
        servername: site.proxied.domain,
        rejectUnauthorized: false,
      },
      ALPNProtocols: ['http/1.1'],
    })
    const said = new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString()
        if (text.includes('hello')) resolve(text)
      })
      socket.on('close', () => resolve(text))
    })
    const host = `Host: ${site.proxied.domain}`
    socket.write(`GET /socket HTTP/1.1\r\n${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    expect(await said).toMatch(/^HTTP\/1\.1 101 [\s\S]*hello$/)
    socket.destroy()
  })
})

test('2,000 visitors at once get their page', async () => {
  const address = `https://${site.blog.domain}:${server.ports.https}/crowd/`
  const target = [`--connect-to=127.0.0.1:${server.ports.https}`, address]
  const { stdout } = await promisify(execFile)('prlimit', [
    '--nofile=8192',
    'h2load',
    '-c2000',
    '-m1',
    '-n6000',
    ...target,
  ])
  expect(stdout).toContain('6000 succeeded, 0 failed, 0 errored, 0 timeout')
  expect(stdout).toContain('status codes: 6000 2xx')
}, 60_000)
