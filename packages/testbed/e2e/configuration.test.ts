// The configuration of a site: from PUT /config to what visitors see, what is refused, and who notices.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { siteCheck } from '@reeve/contract/site-config.ts'
import { type Site, siteApply, SiteSpec } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childrenOf, title } from '../../agent/src/processes.ts'
import { createAgentClient } from '../../api/src/agent-client.ts'
import { copyDatabase } from '../src/database-copy.ts'
import { type Failpoints, openFailpoints } from '../src/failpoints.ts'
import { watchSiteByHttp2 } from '../src/http2-visitor.ts'
import { callPatiently, openPanel, type Panel } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { plainRequest, visit, watchSite } from '../src/visitor.ts'
import { ownConfiguration } from '../suites/own-configuration.ts'

let reeve: Reeve
let panel: Panel
let site: Site
let failpoints: Failpoints
const bystander = 'bystander.example.com'
const www = 'www.changing.example.com'

beforeAll(async () => {
  failpoints = openFailpoints()
  reeve = await startReeve({ env: failpoints.env })
  panel = await reeve.panel()
  await panel.createSite({ domain: bystander, type: 'php' })
  site = await panel.createSite({ domain: 'changing.example.com', type: 'php' })
}, 180_000)

afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]()
  failpoints?.[Symbol.dispose]()
}, 60_000)

type Answered = { task: Task; site: Site; error: string; field: string; line: number }

const change = (body: Record<string, unknown>, as: Panel = panel) =>
  callPatiently<Answered>(as, 'PUT', `/api/sites/${site.id}/config`, body)

async function changed(body: Record<string, unknown>): Promise<void> {
  const answer = await change(body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  const task = await panel.taskEnd(answer.body.task.id)
  expect(task.state, `${task.error} ${task.log}`).toBe('succeeded')
}

const shown = async (): Promise<Site> => (await panel.call<Site>('GET', `/api/sites/${site.id}`)).body
const vhost = () => readFileSync(join(reeve.root, `etc/nginx/sites-enabled/${site.domain}.conf`), 'utf8')
const ask = (path: string, headers: Record<string, string> = {}, name: string = site.domain) =>
  visit(name, { port: reeve.httpsPort, path, headers })
const askPlain = (path: string, name: string = site.domain) =>
  plainRequest(reeve.http, `${name}:${reeve.httpPort}`, path)

ownConfiguration(() => reeve)

describe('a change', () => {
  it('is what visitors see and what the site says about itself', async () => {
    await changed({
      aliases: [www],
      www_redirect: 'to_bare',
      hsts: true,
      redirects: [{ from: '/old', to: '/new', status: 308 }],
      cache: { ttl_s: 120, bypass_paths: ['/live/'] },
    })
    const origin = `https://${site.domain}:${reeve.httpsPort}`
    expect((await ask('/')).headers['strict-transport-security']).toBe('max-age=31536000')
    expect(await ask('/old')).toMatchObject({ status: 308, headers: { location: '/new' } })
    expect(await ask('/page', {}, www)).toMatchObject({
      status: 301,
      headers: { location: `${origin}/page` },
    })
    expect(await askPlain('/page', www)).toEqual({ status: 301, location: `${origin}/page` })
    expect(await shown()).toMatchObject({
      state: 'active',
      aliases: [www],
      www_redirect: 'to_bare',
      hsts: true,
      redirects: [{ from: '/old', to: '/new', status: 308 }],
      cache: { enabled: true, ttl_s: 120, bypass_paths: ['/live/'] },
    })
  })

  it('keeps what it does not name, and can be taken back', async () => {
    await changed({ redirects: [] })
    expect(await shown()).toMatchObject({ aliases: [www], hsts: true, redirects: [] })
    await changed({ www_redirect: 'none', aliases: [], hsts: false, cache: { bypass_paths: [] } })
    await expect(ask('/', {}, www)).rejects.toThrow()
    expect((await ask('/')).headers['strict-transport-security']).toBeUndefined()
  })

  it('can serve a site over HTTP too', async () => {
    await changed({ https_redirect: false })
    expect((await askPlain('/')).status).toBe(200)
    await changed({ https_redirect: true })
    expect((await askPlain('/')).status).toBe(301)
  })
})

describe('a password', () => {
  const credentials = (password: string) => ({
    authorization: `Basic ${Buffer.from(`editor:${password}`).toString('base64')}`,
  })
  it('is asked of every visitor, is kept as a hash, and goes with everything that knew it', async () => {
    expect((await change({ basic_auth: { user: 'editor' } })).status).toBe(400)
    await changed({ basic_auth: { user: 'editor', password: 'a good password' } })
    expect((await ask('/')).status).toBe(401)
    expect((await ask('/', credentials('a bad password'))).status).toBe(401)
    expect((await ask('/', credentials('a good password'))).status).toBe(200)
    expect((await shown()).basic_auth).toEqual({ user: 'editor' })
    expect(JSON.stringify(await shown())).not.toContain('$6$')

    await changed({ basic_auth: { user: 'editor' }, hsts: true })
    expect((await ask('/', credentials('a good password'))).status).toBe(200)
    expect((await change({ basic_auth: { user: 'somebody' } })).status).toBe(400)

    const path = join(reeve.root, 'etc/reeve/passwords', site.id)
    expect(existsSync(path)).toBe(true)
    await changed({ basic_auth: null, hsts: false })
    expect((await ask('/')).status).toBe(200)
    expect(existsSync(path)).toBe(false)
  })
})

describe('what is refused', () => {
  const refused: readonly [why: string, body: Record<string, unknown>, status: number, field: string][] = [
    ['a name of another site', { aliases: [bystander] }, 409, 'aliases'],
    ['a name twice', { aliases: [www, www] }, 400, 'aliases'],
    ['its own name as an alias', { aliases: ['changing.example.com'] }, 400, 'aliases'],
    ['a twin that is no name of the site', { www_redirect: 'to_www' }, 422, 'www_redirect'],
    [
      'a path that is redirected twice',
      { redirects: ['/a', '/b'].map((to) => ({ from: '/x', to })) },
      400,
      'redirects',
    ],
    ['a redirect of challenges', { redirects: [{ from: '/.well-known/a', to: '/b' }] }, 400, 'redirects'],
    ['a redirect with a line break', { redirects: [{ from: '/a\nb', to: '/b' }] }, 400, 'redirects.0.from'],
    ['a target with a variable', { redirects: [{ from: '/a', to: '/$request_uri' }] }, 400, 'redirects.0.to'],
    ['a path with a brace', { cache: { bypass_paths: ['/a{}'] } }, 400, 'cache.bypass_paths.0'],
    ['an unknown field', { cache: { zone: 'x' } }, 400, 'cache.zone'],
    [
      'a user that ends the line',
      { basic_auth: { user: 'a:b', password: 'long enough' } },
      400,
      'basic_auth.user',
    ],
    ['another block', { nginx_snippet: '} server { listen 81; ' }, 422, 'nginx_snippet'],
    ['another file', { nginx_snippet: 'include /etc/shadow;' }, 422, 'nginx_snippet'],
  ]
  it.each(refused)('%s changes nothing', async (_why, body, status, field) => {
    const before = [vhost(), await shown()]
    const answer = await change(body)
    expect([answer.status, answer.body.field], JSON.stringify(answer.body)).toEqual([status, field])
    expect([vhost(), await shown()]).toEqual(before)
  })

  it('by nginx is answered with the very line, of the snippet or of the file', async () => {
    const before = [vhost(), await shown()]
    const snippet = '# fine\nadd_header X-Fine yes;\nexpires sometimes;\n'
    const answer = await change({ nginx_snippet: snippet })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ code: 'refused', field: 'nginx_snippet', line: 3 })
    expect(answer.body.error).toMatch(
      /line 3 of the snippet, "expires sometimes;": "expires" directive invalid value/,
    )

    const twice = await change({
      nginx_snippet: 'location = /twice { return 204; }',
      redirects: [{ from: '/twice', to: '/once' }],
    })
    expect(twice.status).toBe(422)
    expect(twice.body.error).toMatch(/duplicate location "\/twice"/)
    expect([vhost(), await shown()]).toEqual(before)
    expect((await ask('/')).status).toBe(200)
  })

  it('to an operator is the snippet alone, and they do not read it', async () => {
    await changed({ nginx_snippet: 'location = /teapot { return 418; }' })
    expect((await ask('/teapot')).status).toBe(418)
    const email = 'operator@example.com'
    const password = 'another long enough password'
    const made = await panel.call('POST', '/api/users', {
      email,
      password,
      role: 'operator',
      site_ids: [site.id],
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const operator = await openPanel({ port: reeve.port, root: reeve.root, email, password })
    for (const nginx_snippet of ['location = /a { return 204; }', null]) {
      const answer = await change({ nginx_snippet }, operator)
      expect([answer.status, answer.body.field]).toEqual([403, 'nginx_snippet'])
    }
    const answer = await change({ hsts: true }, operator)
    expect([answer.status, answer.body.site.nginx_snippet]).toEqual([202, null])
    expect((await panel.taskEnd(answer.body.task.id)).state).toBe('succeeded')
    // Whatever else changes, the snippet stays.
    expect((await ask('/teapot')).status).toBe(418)
    await changed({ nginx_snippet: null, hsts: false })
    expect((await ask('/teapot')).status).toBe(200)
  })
})

describe('when the agent is killed in the middle', () => {
  it.each(['before', 'after'])(
    '%s the web server has changed, the site is whole afterwards',
    async (moment) => {
      failpoints.arm(`site.apply.web-server:${moment}:kill`)
      const answer = await change({ redirects: [{ from: `/${moment}`, to: '/new' }] })
      expect(answer.status, JSON.stringify(answer.body)).toBe(202)
      const task = await panel.taskEnd(answer.body.task.id, 120_000)
      const isDone = task.state === 'succeeded'
      const { state, redirects } = await shown()
      expect([state, redirects.length]).toEqual(['active', isDone ? 1 : 0])
      expect((await ask(`/${moment}`)).status).toBe(isDone ? 301 : 200)
      await changed({ redirects: [] })
    },
  )
})

// Last, on a site with its usual configuration.
const nginxWorkers = () =>
  childrenOf(reeve.servicePid('nginx')).filter((pid) => title(pid).endsWith('nginx: worker process'))

it('twenty changes under load cost neither the site nor a bystander a request, and no worker stays', {
  timeout: 150_000,
}, async () => {
  const workers = nginxWorkers()
  const watched = [site.domain, bystander].flatMap((domain) => [
    { name: `${domain} by HTTP/1.1`, visitor: watchSite(domain, reeve.https, 5) },
    { name: `${domain} by HTTP/2`, visitor: watchSiteByHttp2(domain, reeve.https) },
  ])
  try {
    for (let round = 0; round < 20; round++) {
      await changed(
        [
          { hsts: round % 8 === 0 },
          { redirects: [{ from: `/old-${round}`, to: '/new' }] },
          { cache: { ttl_s: 60 + round } },
          { https_redirect: round % 8 === 3, aliases: round % 8 === 3 ? [www] : [] },
        ][round % 4] ?? {},
      )
    }
  } finally {
    const tallies = await Promise.all(
      watched.map(async ({ name, visitor }) => ({ name, ...(await visitor.stop()) })),
    )
    for (const { name, requests, failures } of tallies) {
      console.log(`${name}: ${requests} requests, ${failures.length} lost`)
      expect(failures, name).toEqual([])
      expect(requests, name).toBeGreaterThan(20)
    }
  }
  // The agent ends the old ones itself; nginx must not take that for a crash and start them again.
  const now = nginxWorkers()
  expect(now).toHaveLength(workers.length)
  expect(now.filter((pid) => workers.includes(pid))).toEqual([])
})

it('is not possible any more for a site that was deleted halfway, whoever asks the agent', async () => {
  const half = await panel.createSite({ domain: 'half.example.com', type: 'php' })
  const spec = SiteSpec.parse(documentOf(half))
  failpoints.arm('site.remove.database:before:error')
  expect((await panel.deleteSite(half.id)).state).toBe('failed')
  process.kill(reeve.pid('agent'), 'SIGKILL')
  await expect.poll(async () => (await panel.call('GET', '/api/system/drift')).status).toBe(200)
  const agent = createAgentClient(join(reeve.root, 'run/reeve/agent.sock'))
  const refusal = 'Removing half.example.com did not finish; it can only be removed again.'
  const apply = { site: spec, admin_password_hash: null }
  await expect(agent.call(siteApply, apply, { deadlineMs: 60_000 })).rejects.toThrow(refusal)
  await expect(agent.call(siteCheck, { site: spec }, { deadlineMs: 60_000 })).rejects.toThrow(refusal)
  expect(existsSync(join(reeve.root, 'srv/sites', half.domain))).toBe(false)
  expect((await panel.deleteSite(half.id)).error).toBeNull()
})

/** As the agent keeps it. */
function documentOf({ id }: Site): unknown {
  using registry = copyDatabase(join(reeve.root, 'var/lib/reeve-agent/registry.db'))
  return JSON.parse(String(registry.rows('SELECT spec FROM sites WHERE id = ?', id)[0]?.['spec']))
}
