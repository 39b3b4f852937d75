import { connect } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Panel, type RequestOptions, type SignedIn, startPanel } from './testing/panel.ts'

let panel: Panel
let admin: SignedIn
beforeAll(async () => {
  panel = await startPanel()
  admin = await panel.signedIn('admin')
})
afterAll(() => panel[Symbol.asyncDispose]())

interface Scenario extends Omit<RequestOptions, 'cookie'> {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly anonymous?: true
  readonly field?: string
}

const site = { domain: 'new.example.test', type: 'static' }
const post = (name: string, status: number, more: Partial<Scenario> = {}): Scenario => ({
  name,
  method: 'POST',
  path: '/api/sites',
  status,
  ...more,
})

async function expectRefusal(scenario: Scenario): Promise<void> {
  const before = panel.agent.calls.length
  const options = { ...scenario, ...(scenario.anonymous ? {} : { cookie: admin.cookie }) }
  const answer = await panel.send(scenario.method, scenario.path, options)
  expect(answer.status).toBe(scenario.status)
  expect(typeof answer.json['error']).toBe('string')
  if (scenario.field !== undefined) expect(answer.json['field']).toBe(scenario.field)
  const calls = panel.agent.calls.slice(before).filter((name) => !name.startsWith('audit.'))
  expect(calls).toEqual([])
  expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'/)
  expect(answer.headers['cache-control']).toBe('no-store')
}

describe('a request is refused without any call of the agent', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  test.each<Scenario>([
    // Who comes first: the session is asked for before the body is looked at.
    post('no session, broken body', 401, { anonymous: true, raw: '{' }),
    post('no session, wrong content type', 401, {
      anonymous: true,
      raw: 'x',
      headers: { 'content-type': 'text/plain' },
    }),
    post('no session, huge body', 401, { anonymous: true, raw: 'x'.repeat(100) }),
    // Origin and content type.
    post('another origin', 403, { body: site, headers: { origin: 'https://site.example.test' } }),
    post('a null origin', 403, { body: site, headers: { origin: 'null' } }),
    post('our host by another scheme', 403, { body: site, headers: { origin: 'https://127.0.0.1' } }),
    post('same-site', 403, { body: site, headers: { 'sec-fetch-site': 'same-site' } }),
    post('cross-site', 403, { body: site, headers: { 'sec-fetch-site': 'cross-site' } }),
    post('navigation', 403, { body: site, headers: { 'sec-fetch-site': 'none' } }),
    post('text', 415, { raw: '{}', headers: { 'content-type': 'text/plain' } }),
    post('a form', 415, { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    post('multipart', 415, { raw: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
    post('JSON with an odd parameter', 415, { raw: '{}', headers: { 'content-type': 'application/json;x' } }),
    post('no content type', 415, { raw: '{}', headers: { 'content-type': '' } }),
    {
      name: 'another page reads',
      method: 'GET',
      path: '/api/sites',
      status: 403,
      headers: { 'sec-fetch-site': 'same-site' },
    },
    {
      name: 'another page listens',
      method: 'GET',
      path: '/api/events',
      status: 403,
      headers: { origin: 'https://x.example.test' },
    },
    // The body.
    post('one byte over 4 MB', 413, { raw: `"${'x'.repeat(4 * 1024 * 1024 - 1)}"` }),
    post('not JSON', 400, { raw: '{"domain":' }),
    post('not UTF-8', 400, { raw: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }),
    post('no object', 400, { raw: '[]' }),
    post('deep nesting', 400, { raw: nested(10_000) }),
    post('an empty body', 400, { field: 'domain' }),
    post('an unknown field', 400, { body: { ...site, zone: 1 }, field: 'zone' }),
    post('__proto__', 400, {
      raw: '{"domain":"a.example.test","type":"static","__proto__":{}}',
      field: '__proto__',
    }),
    post('constructor deep inside', 400, { raw: '{"title":{"constructor":{}}}', field: 'constructor' }),
    { name: 'a GET with a body', method: 'GET', path: '/api/sites', status: 400, raw: '{}' },
    {
      name: 'an unknown query field',
      method: 'GET',
      path: '/api/tasks?limit=1&x=2',
      status: 400,
      field: 'x',
    },
    {
      name: 'a query field twice',
      method: 'GET',
      path: '/api/tasks?limit=1&limit=2',
      status: 400,
      field: 'limit',
    },
    {
      name: 'a field for an empty body',
      method: 'POST',
      path: '/api/logout',
      status: 400,
      body: { all: true },
      field: 'all',
    },
    // Names.
    {
      name: 'another host',
      method: 'GET',
      path: '/api/sites',
      status: 421,
      headers: { host: 'evil.example.test' },
    },
    {
      name: 'another port',
      method: 'GET',
      path: '/api/sites',
      status: 421,
      headers: { host: '127.0.0.1:1' },
    },
  ])('$name: $status', (scenario) => expectRefusal(scenario))
})

describe('a path has one spelling', () => {
  test.each([
    '/api//sites',
    '//api/sites',
    '/api/./sites',
    '/api/x/../sites',
    '/api%2fsites',
    '/api/%73ites',
    '/api/sites;a',
    '/api/sites%00',
    '/API/sites',
    '/api/Sites',
    '/api/sites/',
    '/api/sites%20',
    '/api\\sites',
    '/.//api/sites',
    '/api',
    '/api/nothing',
  ])('%s is not found', async (path) => {
    const before = panel.agent.calls.length
    const answers = await Promise.all([
      panel.send('GET', path, { cookie: admin.cookie }),
      panel.send('POST', path, { cookie: admin.cookie, body: { domain: 'x.example.test', type: 'static' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect(panel.agent.calls.slice(before).filter((name) => name.startsWith('site.'))).toEqual([])
  })

  test('an absolute address as the request target is not found', async () => {
    const answer = await panel.send('GET', 'http://127.0.0.1/api/sites', { cookie: admin.cookie })
    expect(answer.status).toBe(404)
  })
})

test('an id that is far too long is not found either', async () => {
  for (const length of [101, 600, 15_000]) {
    const answer = await panel.send('GET', `/api/sites/${'s'.repeat(length)}`, { cookie: admin.cookie })
    expect(answer.status).toBe(404)
  }
})

describe('what is hardly HTTP', () => {
  const exchange = async (text: string): Promise<string> => {
    const socket = connect(panel.port, '127.0.0.1')
    socket.write(text)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    return answer
  }
  const host = () => `Host: 127.0.0.1:${panel.port}`

  test.each<[string, () => string, number]>([
    ['a broken request line', () => 'GET\r\n\r\n', 400],
    ['a NUL in the path', () => `GET /api/sites\0 HTTP/1.1\r\n${host()}\r\n\r\n`, 400],
    [
      'two lengths',
      () => `POST /api/login HTTP/1.1\r\n${host()}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
    ],
    [
      'a length and chunks',
      () =>
        `POST /api/login HTTP/1.1\r\n${host()}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      '1 MB of cookies',
      () => `GET /api/me HTTP/1.1\r\n${host()}\r\nCookie: ${'a'.repeat(20 * 1024)}\r\n\r\n`,
      431,
    ],
    [
      'a line break in a cookie',
      () => `GET /api/me HTTP/1.1\r\n${host()}\r\nConnection: close\r\nCookie: __Host-reeve=a\nX: y\r\n\r\n`,
      400,
    ],
    ['no host', () => 'GET /api/me HTTP/1.0\r\n\r\n', 421],
  ])('%s is answered with an error and the usual headers', async (_name, request, status) => {
    const answer = await exchange(request())
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toContain("content-security-policy: default-src 'none'")
    expect(answer).toMatch(/\{"error":".*"code":"[a-z_]+"/)
  })
})

test('a full disk is named', async () => {
  const full = await startPanel()
  try {
    const { cookie } = await full.signedIn('admin')
    await sql`pragma max_page_count = 1`.execute(full.context.db)
    const text = 'x'.repeat(150)
    let last: { status: number; text: string } = { status: 0, text: '' }
    for (let count = 0; count < 200 && last.status !== 500; count++) {
      const body = { domain: `d${count}.example.test`, type: 'static', title: text }
      last = await full.send('POST', '/api/sites', { cookie, body })
      await full.context.tasks.idle()
    }
    expect(last.text).toContain('The disk of the server is full')
    expect((await full.send('GET', '/api/me', { cookie })).status).toBe(200)
  } finally {
    await full[Symbol.asyncDispose]()
  }
})

describe('methods', () => {
  test.each(['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    '%s on a list is 405 and names what is possible',
    async (method) => {
      const answer = await panel.send(method, '/api/sites', { cookie: admin.cookie })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toBe('GET, POST')
    },
  )

  test.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    '%s changes nothing',
    async (header) => {
      const answer = await panel.send('POST', '/api/me', {
        cookie: admin.cookie,
        headers: { [header]: 'GET' },
      })
      expect(answer.status).toBe(405)
    },
  )
})

test('a body of exactly 4 MB is read', async () => {
  const raw = `"${'x'.repeat(4 * 1024 * 1024 - 2)}"`
  const answer = await panel.send('POST', '/api/sites', { cookie: admin.cookie, raw })
  expect(answer.status).toBe(400)
})

test('a request from the panel itself is carried out', async () => {
  const origin = `http://127.0.0.1:${panel.port}`
  const answer = await panel.send('POST', '/api/sites', {
    cookie: admin.cookie,
    body: { ...site, domain: 'good.example.test' },
    headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json; charset=utf-8' },
  })
  expect(answer.status).toBe(202)
  await panel.context.tasks.idle()
})

test('an unexpected failure says nothing but an id that the log knows', async () => {
  panel.agent.answer('system.describe', () => ({ nonsense: 'secret-detail' }))
  const answer = await panel.send('POST', '/api/sites', {
    cookie: admin.cookie,
    body: { domain: 'later.example.test', type: 'static' },
  })
  expect(answer.status).toBe(500)
  expect(answer.json['code']).toBe('internal')
  expect(answer.text).not.toContain('secret-detail')
})
