// Embedded only: the attacker is a program for Node, and the executable of an installed server runs no program but its
// own. That the socket is closed to everybody else there is tried by suites/isolation.ts.
import { operations } from '@reeve/contract/operations.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  fuzzAs,
  identityOf,
  pingMs,
  type Request,
  sendAs,
  type Watch,
  watchAgent,
} from '../src/isolation/agent-attack.ts'
import { applyDocument, documents, siteDocument } from '../src/isolation/documents.ts'
import { serverState } from '../src/isolation/server-state.ts'
import { type Panel } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { visit } from '../src/visitor.ts'

const api = identityOf('reeve')
let reeve: Reeve
let panel: Panel
let agentPid: number
let stateBefore: string[]
let watch: Watch

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  await panel.createSite({ domain: 'bystander.example.com', type: 'php' })
  agentPid = reeve.pid('agent')
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
}, 60_000)

beforeEach(() => {
  stateBefore = serverState(reeve.root)
  watch = watchAgent(reeve)
})

afterEach(async () => {
  const { slowestPingMs, peakMb, startMb } = await watch.stop()
  console.log(`slowest /ping ${slowestPingMs} ms, resident ${startMb} MB, at most ${peakMb} MB`)
  expect(reeve.pid('agent')).toBe(agentPid)
  expect(slowestPingMs).toBeLessThan(1000)
  expect(peakMb).toBeLessThan(220)
  expect(serverState(reeve.root)).toEqual(stateBefore)
  expect((await visit('bystander.example.com', { port: reeve.httpsPort })).status).toBe(200)
})

const apply = (name: string, change: object): Request => ({
  name,
  path: '/site.apply',
  body: { ...applyDocument, site: { ...siteDocument, ...change } },
})
const publicKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`
const logDocument = { lines: 10, cursor: null, filter: null }
const cron = (name: string, change: object): Request => {
  const job = { id: 'caaaaaaaaaaaaaaa', schedule: '@daily', command: 'true', enabled: true, timeout_s: 60 }
  return { name, path: '/cron.apply', body: { id: siteDocument.id, jobs: [{ ...job, ...change }] } }
}
const access = (name: string, change: object): Request => ({
  name,
  path: '/access.apply',
  body: { id: siteDocument.id, enabled: true, password_hash: null, keys: [], ...change },
})
const remove = (name: string, id: unknown): Request => ({ name, path: '/site.remove', body: { id } })

describe('the agent’s socket, dialled by user reeve', () => {
  it('does as asked when the request is right', async () => {
    const [ping, describe_, gone] = await sendAs(reeve, api, [
      { name: 'ping', method: 'GET', path: '/ping' },
      { name: 'describe', path: '/system.describe', body: {} },
      remove('a site that is not there', siteDocument.id),
    ])
    expect(ping?.answer).toContain(`{"pid":${agentPid}}`)
    expect(describe_?.answer).toContain('"type":"result"')
    expect(gone?.answer).toContain('"removed":false')
  })

  it('knows the operations of the contract and no other', async () => {
    const unknown: Request[] = [
      ...['site.destroy', 'system.run', 'file.write', 'SITE.APPLY', '__proto__', 'constructor', ''].map(
        (name) => ({
          name,
          path: `/${name}`,
          body: {},
        }),
      ),
      ...['//site.remove', '/site.remove/', '/./site.remove', '/ping/../site.remove', '/site%2eremove'].map(
        (path) => ({ name: path, path, body: { id: siteDocument.id } }),
      ),
      { name: 'absolute form', path: 'http://agent/site.remove', body: { id: siteDocument.id } },
      { name: 'with a query', path: '/site.remove?id=x', body: { id: siteDocument.id } },
      ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'].map((method) => ({
        name: method,
        method,
        path: '/site.apply',
        body: applyDocument,
      })),
      { name: 'POST /ping', path: '/ping' },
    ]
    const outcomes = await sendAs(reeve, api, unknown)
    expect(outcomes.filter(({ answer }) => !answer.startsWith('HTTP/1.1 404 '))).toEqual([])
    expect(Object.keys(documents).sort()).toEqual(operations.map(({ name }) => name).sort())
  })

  it('refuses unknown fields, wrong types and path tricks, naming the field', async () => {
    const cases: [request: Request, field: string][] = [
      [{ name: 'unknown field', path: '/system.describe', body: { shell: 'id' } }, 'shell'],
      [{ name: 'unknown field', path: '/site.apply', body: { ...applyDocument, root: '/' } }, 'root'],
      [apply('unknown field of the site', { uid: 0 }), 'site.uid'],
      [
        apply('unknown field of the cache', { cache: { enabled: true, ttl_s: 1, path: '/' } }),
        'site.cache.path',
      ],
      ...[
        '../../etc',
        's../../../../etc/',
        'S'.repeat(16),
        `${siteDocument.id}\n`,
        `${siteDocument.id}a`,
        '',
        7,
        null,
      ].map((id): [Request, string] => [remove(`id ${JSON.stringify(id)}`, id), 'id']),
      ...[
        '../x',
        'a/../b.example.com',
        '/etc',
        'a.example.com/',
        '..',
        '.',
        'x\0.example.com',
        'example.com:80',
      ].map((domain): [Request, string] => [
        apply(`domain ${JSON.stringify(domain)}`, { domain }),
        'site.domain',
      ]),
      [apply('a type of its own', { type: 'shell' }), 'site.type'],
      [apply('aliases that are no list', { aliases: 'x' }), 'site.aliases'],
      [apply('too many aliases', { aliases: Array(51).fill('a.example.com') }), 'site.aliases'],
      [apply('workers beyond measure', { php_workers: 1e9 }), 'site.php_workers'],
      [apply('a version that is a path', { php_version: '../8.2' }), 'site.php_version'],
      ...['/etc/shadow', '../auth', 'agent\n'].map((source): [Request, string] => [
        { name: `log ${source}`, path: '/logs.server', body: { ...logDocument, source } },
        'source',
      ]),
      ...['* * * * *\n* * * * * root', '@reboot', '* * * * * *'].map((schedule): [Request, string] => [
        cron(`schedule ${JSON.stringify(schedule)}`, { schedule }),
        'jobs.0.schedule',
      ]),
      [cron('a command of two lines', { command: 'true\nid' }), 'jobs.0.command'],
      [cron('a job as root', { user: 'root' }), 'jobs.0.user'],
      [
        access('a hash that ends the line', { password_hash: `$6$a$${'a'.repeat(86)}:0:\nroot:` }),
        'password_hash',
      ],
      [access('a locked password undone', { password_hash: '' }), 'password_hash'],
      [access('a key with an option', { keys: [`command="id" ${publicKey}`] }), 'keys.0'],
      [access('a second key in a key', { keys: [`${publicKey}\n${publicKey}`] }), 'keys.0'],
      [access('a key with a comment', { keys: [`${publicKey} me`] }), 'keys.0'],
      [apply('an upstream that is a socket', { proxy_upstream: 'unix:/run/x.sock' }), 'site.proxy_upstream'],
    ]
    const outcomes = await sendAs(
      reeve,
      api,
      cases.map(([request]) => request),
    )
    const wrong = outcomes.filter(
      ({ answer }, at) =>
        !answer.includes('"code":"invalid_request"') || !answer.includes(`"field":"${cases[at]?.[1]}"`),
    )
    expect(wrong).toEqual([])
  })

  it('refuses bodies that are no document', async () => {
    const deep = '['.repeat(100_000)
    const bodies: [body: string | Buffer, code: string][] = [
      ['', 'invalid_request'],
      ['{', 'invalid_request'],
      ['null', 'invalid_request'],
      ['[]', 'invalid_request'],
      ['"x"', 'invalid_request'],
      [deep, 'invalid_request'],
      [`${deep}${']'.repeat(100_000)}`, 'invalid_request'],
      [Buffer.from([0xff, 0xfe, 0x00]), 'invalid_request'],
      ['{"__proto__":{"id":"saaaaaaaaaaaaaaa"}}', 'invalid_request'],
      ['{"id":"saaaaaaaaaaaaaaa","id":"../x"}', 'invalid_request'],
      [' '.repeat(1024 * 1024 + 1), 'too_large'],
    ]
    const outcomes = await sendAs(
      reeve,
      api,
      bodies.map(([body], at) => ({ name: `body ${at}`, path: '/site.remove', body })),
    )
    expect(outcomes.filter(({ answer }, at) => !answer.includes(`"code":"${bodies[at]?.[1]}"`))).toEqual([])
  })

  it('outlives broken requests', async () => {
    const head = 'POST /site.remove HTTP/1.1\r\nHost: agent\r\n'
    const body = JSON.stringify({ id: siteDocument.id })
    const outcomes = await sendAs(reeve, api, [
      { name: 'half a head', raw: [head], isHalf: true },
      { name: 'half a body', raw: [`${head}Content-Length: 100\r\n\r\n{"id":`], isHalf: true },
      { name: '2 GB announced', raw: [`${head}Content-Length: 2147483648\r\n\r\n${body}`], isHalf: true },
      { name: 'a length below zero', raw: [`${head}Content-Length: -1\r\n\r\n${body}`] },
      { name: 'two lengths', raw: [`${head}Content-Length: 3\r\nContent-Length: 30\r\n\r\n${body}`] },
      {
        name: 'length and chunks',
        raw: [`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      },
      { name: 'a chunk of 2^64', raw: [`${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx`] },
      { name: 'a head of 9 KB', raw: [`${head}X: ${'x'.repeat(9000)}\r\n\r\n`] },
      { name: 'garbage', raw: [Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256))] },
      { name: 'TLS', raw: [Buffer.from('160301020001000101fc0303', 'hex')] },
      { name: 'HTTP/2', raw: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'] },
      { name: 'an upgrade', raw: [`${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`], waitMs: 500 },
      { name: 'CONNECT', raw: ['CONNECT /etc/passwd HTTP/1.1\r\nHost: agent\r\n\r\n'] },
    ])
    expect(outcomes.filter(({ answer }) => answer.includes('"type":"result"'))).toEqual([])
    expect(outcomes.map(({ error }) => error).filter((error) => error === 'ECONNREFUSED')).toEqual([])
  })

  it('answers requests that come in one piece', async () => {
    const one = `GET /ping HTTP/1.1\r\nHost: agent\r\n\r\n`
    const other = `POST /site.destroy HTTP/1.1\r\nHost: agent\r\nContent-Length: 2\r\n\r\n{}`
    const [outcome] = await sendAs(reeve, api, [{ name: 'pipelined', raw: [one.repeat(50) + other + one] }])
    expect(outcome?.answer.match(/"pid"/g)).toHaveLength(50)
    expect(outcome?.answer.match(/HTTP\/1\.1 404/g)).toHaveLength(1)
    // An error answer closes the connection, so nothing hides behind it.
    expect(outcome?.closed).toBe(1)
  })

  it('answers while 200 connections are held with half a body each', async () => {
    const raw = [
      `POST /site.remove HTTP/1.1\r\nHost: agent\r\nContent-Length: 1048576\r\n\r\n`,
      Buffer.alloc(512 * 1024, 32),
    ]
    await sendAs(reeve, api, [{ name: 'held', raw, connections: 200, waitMs: 3000 }])
    expect(await pingMs(reeve)).toBeLessThan(1000)
  })

  it('is not moved by 2,000 random requests', async () => {
    const figures = await fuzzAs(reeve, api, { count: 2000, seed: 20_260_101, documents })
    console.log(JSON.stringify(figures))
    expect(figures.sent).toBeGreaterThanOrEqual(2000)
    expect(
      Object.keys(figures.answers).filter((answer) => /^5|^200 OK|10 s|REFUSED|internal/.test(answer)),
    ).toEqual([])
    // Most of them came through to the schemas, or the fuzzer tests only the HTTP parser.
    expect(figures.answers['200 invalid_request']).toBeGreaterThan(500)
  })
})

describe('the agent’s socket, dialled by others', () => {
  it.each(['www-data', 'nobody', 'redis', 'mysql'])('is closed to %s', async (name) => {
    const [outcome] = await sendAs(reeve, identityOf(name), [{ name, method: 'GET', path: '/ping' }])
    expect(outcome).toMatchObject({ answer: '', error: 'EACCES' })
  })

  it('is closed to a site', async () => {
    const { body } = await panel.call<{ sites: { system_user: string }[] }>('GET', '/api/sites')
    const site = identityOf(body.sites[0]?.system_user ?? '')
    expect(site.uid).toBeGreaterThan(20_000)
    const [outcome] = await sendAs(reeve, site, [{ name: 'site', method: 'GET', path: '/ping' }])
    expect(outcome).toMatchObject({ answer: '', error: 'EACCES' })
  })
})
