// The connector in a real WordPress, asked over HTTP by PHP's own server, which hands on every header it sends.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  adminPassword,
  createPrivateSite,
  openPrivateHost,
  type PrivateHost,
  type PrivateSite,
} from '../private-wordpress.ts'

let host: PrivateHost
let site: PrivateSite
let server: ChildProcess
let port: number

beforeAll(async () => {
  host = await openPrivateHost()
  port = await freePort()
  site = await createPrivateSite(host, { number: 1, url: `http://shop.example.com:${port}` })
  installTestPlugin()
  server = await startPhp()
}, 120_000)

afterAll(async () => {
  if (server?.exitCode === null) {
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }
  await host?.[Symbol.asyncDispose]()
})

function installTestPlugin(): void {
  const plugin = join(site.release, 'wp-content/mu-plugins/a-test.php')
  copyFileSync(join(import.meta.dirname, 'fixtures/plugin-cases.php'), plugin)
  chownSync(plugin, site.user.uid, site.user.gid)
}

async function startPhp(): Promise<ChildProcess> {
  const tools = join(host.paths.root, 'tools')
  mkdirSync(tools)
  const prepend = join(tools, 'prepend.php')
  // nginx sets this parameter; a request header cannot.
  writeFileSync(prepend, `<?php $_SERVER['REEVE_ENCODING'] = $_SERVER['HTTP_X_TEST_ENCODING'] ?? '';`)
  const router = join(tools, 'router.php')
  // As nginx does: what is no file is the front controller's.
  writeFileSync(
    router,
    `<?php include '${prepend}'; $file = $_SERVER['DOCUMENT_ROOT'] . parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
    if ( is_file( $file ) || is_file( rtrim( $file, '/' ) . '/index.php' ) ) return false;
    $_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . '/index.php';
    $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
    require $_SERVER['SCRIPT_FILENAME'];`,
  )
  chmodSync(tools, 0o755)
  const { uid, gid } = site.user
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--', 'php']
  const settings = [
    '-d',
    `auto_prepend_file=${prepend}`,
    '-d',
    'output_buffering=4096',
    '-d',
    'display_errors=0',
  ]
  const child = spawn(
    'setpriv',
    [...drop, ...settings, '-S', `127.0.0.1:${port}`, '-t', site.release, router],
    {
      stdio: 'ignore',
    },
  )
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 50) {
    const answered = await get('/readme.txt').catch(() => undefined)
    if (answered) return child
    await delay(50)
  }
  child.kill('SIGKILL')
  throw new Error('The PHP server did not answer.')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

interface Asking {
  encoding?: 'gzip' | ''
  method?: string
  headers?: Record<string, string>
  form?: Record<string, string>
}

function get(
  path: string,
  { encoding = '', method = 'GET', headers = {}, form }: Asking = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const body = form && new URLSearchParams(form).toString()
  const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { host: `shop.example.com:${port}`, 'x-test-encoding': encoding, ...type, ...headers }
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: sent,
    timeout: 20_000,
    agent: false,
  })
  asked.on('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
    )
  })
  asked.on('error', reject)
  asked.end(body)
  return promise
}

const isForbidden = ({ headers }: Answer) => headers['x-accel-expires'] === '0'

test.each(['/', '/hello-world/', '/sample-page/', '/category/uncategorized/'])(
  '%s goes to the cache compressed, whole and with its exact length',
  async (path) => {
    const plain = await get(path)
    const gzip = await get(path, { encoding: 'gzip' })
    expect([plain.status, gzip.status]).toEqual([200, 200])
    expect([isForbidden(plain), isForbidden(gzip)]).toEqual([false, false])
    expect(plain.headers['content-length']).toBe(String(plain.body.length))
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(gzip.headers['content-length']).toBe(String(gzip.body.length))
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect([plain.headers.vary, gzip.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding'])
    const page = gunzipSync(gzip.body).toString()
    expect(page).toContain('</html>')
    expect(page.length).toBe(plain.body.toString().length)
    expect(gzip.body.length).toBeLessThan(plain.body.length / 3)
  },
)

test.each([
  ['a search', '/?s=hello'],
  ['a preview', '/?p=1&preview=true'],
  ['DONOTCACHEPAGE', '/?case=donotcache'],
  ['DONOTCACHEPAGE set while the page renders', '/?case=late-donotcache'],
  ['a cookie', '/?case=cookie'],
  ['Cache-Control: private', '/?case=private'],
  ['the cart', '/?case=cart'],
  ['the checkout', '/?case=checkout'],
  ['the account page', '/?case=account'],
  ['an empty page', '/?case=empty'],
  ['the REST API', '/wp-json/'],
  ['the login page', '/wp-login.php'],
  ['the dashboard', '/wp-admin/'],
  ['AJAX', '/wp-admin/admin-ajax.php?action=x'],
  ['cron', '/wp-cron.php'],
  ['a page that does not exist', '/no-such-page/'],
])('%s is never kept and never compressed', async (_, path) => {
  const answer = await get(path, { encoding: 'gzip' })
  expect(isForbidden(answer)).toBe(true)
  expect(answer.headers['content-encoding']).toBeUndefined()
})

test('a password-protected post is never kept', async () => {
  await get('/?case=protected')
  expect(isForbidden(await get('/hello-world/', { encoding: 'gzip' }))).toBe(true)
  await get('/?case=unprotected')
  expect(isForbidden(await get('/hello-world/', { encoding: 'gzip' }))).toBe(false)
})

test('an answer to HEAD or POST never fills the cache', async () => {
  expect(isForbidden(await get('/', { method: 'HEAD', encoding: 'gzip' }))).toBe(true)
  expect(isForbidden(await get('/', { method: 'POST', form: { a: '1' }, encoding: 'gzip' }))).toBe(true)
})

test('nothing a logged-in visitor sees is kept, and the dashboard of the hybrid release works', async () => {
  const login = await get('/wp-login.php', {
    method: 'POST',
    headers: { cookie: 'wordpress_test_cookie=WP%20Cookie%20check' },
    form: { log: 'admin', pwd: adminPassword, testcookie: '1' },
  })
  expect(login.status).toBe(302)
  const cookie = (login.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
  const front = await get('/', { headers: { cookie }, encoding: 'gzip' })
  expect([isForbidden(front), front.headers['content-encoding']]).toEqual([true, undefined])
  expect(front.body.toString()).toContain('wp-admin-bar')
  const screens = [
    '',
    'plugins.php',
    'themes.php',
    'post-new.php',
    'options-permalink.php',
    'users.php',
    'upload.php',
    'site-editor.php',
  ]
  for (const screen of screens) {
    const answer = await get(`/wp-admin/${screen}`, { headers: { cookie }, encoding: 'gzip' })
    expect([screen, answer.status, isForbidden(answer)]).toEqual([screen, 200, true])
    expect(answer.body.toString()).toContain('</html>')
  }
  const scripts = await get('/wp-admin/load-scripts.php?c=1&load%5B%5D=hoverIntent,common', {
    headers: { cookie },
  })
  expect([scripts.status, scripts.body.length > 1000]).toEqual([200, true])
})

test("another plugin's output buffer ends inside ours", async () => {
  const { headers, body } = await get('/?case=buffer', { encoding: 'gzip' })
  expect(headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(body).toString()).toContain('<!-- by the plugin --></body>')
})

test('a page that a plugin compressed is left alone', async () => {
  const { headers, body } = await get('/?case=encoded', { encoding: 'gzip' })
  expect(headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(body).toString()).toContain('</html>')
})

test('downloads, streams and large answers pass as they come', async () => {
  const download = await get('/?case=download', { encoding: 'gzip' })
  expect([download.body.toString(), download.headers['content-encoding']]).toEqual(['PK-05', undefined])
  const stream = await get('/?case=stream', { encoding: 'gzip' })
  expect([stream.body.toString(), stream.headers['content-length']]).toEqual(['first second', undefined])
  const large = await get('/?case=large', { encoding: 'gzip' })
  expect(large.headers['content-encoding']).toBeUndefined()
  expect(large.body.length).toBe(6_000_006)
  expect(large.body.subarray(-6).toString()).toBe('little')
})

test('redirects, feeds, JSON and sitemaps stay what they are', async () => {
  const redirect = await get('/?case=redirect', { encoding: 'gzip' })
  expect([redirect.status, redirect.headers.location]).toEqual([302, '/elsewhere/'])
  for (const [path, type] of [
    ['/feed/', 'application/rss+xml'],
    ['/?case=json', 'application/json'],
    ['/wp-sitemap.xml', 'application/xml'],
    ['/robots.txt', 'text/plain'],
  ] as const) {
    const answer = await get(path, { encoding: 'gzip' })
    expect([path, answer.status, answer.headers['content-encoding']]).toEqual([path, 200, undefined])
    expect(answer.headers['content-type']).toContain(type)
    expect(answer.body.length).toBeGreaterThan(5)
  }
})

test('an earlier Vary stays', async () => {
  const { headers } = await get('/?case=vary', { encoding: 'gzip' })
  expect(headers.vary).toBe('Cookie, Accept-Encoding')
})

test('addresses carry the port of the site', async () => {
  const { body } = await get('/')
  expect(body.toString()).toContain(`href="http://shop.example.com:${port}/hello-world/"`)
})
