import { readFileSync, renameSync } from 'node:fs'
import { endpoints } from '@reeve/contract/endpoints.ts'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentSocket, pingMs } from '../src/isolation/agent-attack.ts'
import { serverState } from '../src/isolation/server-state.ts'
import { openPanel, type Panel, wordpressFields } from '../src/panel.ts'
import { administrator, type Reeve, startReeve } from '../src/reeve.ts'
import { visit } from '../src/visitor.ts'

let reeve: Reeve
let panel: Panel
let site: Site
/** Another account and another session of our own, to be changed and ended. */
let account: string
let otherSession: string
let cronJob: string

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  site = await panel.createSite({ domain: 'bystander.example.com', type: 'php' })
  const user = { email: 'second@example.com', password: 'another long password', role: 'admin' }
  account = (await panel.call<{ id: string }>('POST', '/api/users', user)).body.id
  await openPanel({ port: reeve.port, root: reeve.root, ...administrator })
  const { body } = await panel.call<{ sessions: { id: string; current: boolean }[] }>(
    'GET',
    '/api/account/sessions',
  )
  const job = { schedule: '@yearly', command: 'php -v' }
  cronJob = (await panel.call<{ id: string }>('POST', `/api/sites/${site.id}/cron`, job)).body.id
  otherSession = body.sessions.find(({ current }) => !current)?.id ?? ''
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
}, 60_000)

/** Signing in and out is all that goes on without the agent. */
const isSigningIn = (path: string) => /^\/api\/(?:login|logout|setup)$/.test(path)

/** A request that would be carried out, for every action. */
const actions: Record<string, () => { path: string; body?: unknown }> = {
  createSite: () => ({ path: '/api/sites', body: { ...wordpressFields, domain: 'new.example.com' } }),
  deleteSite: () => ({ path: `/api/sites/${site.id}` }),
  changePassword: () => ({
    path: '/api/account/password',
    body: { current_password: administrator.password, new_password: 'another long password' },
  }),
  beginTwoFactor: () => ({ path: '/api/account/2fa/begin' }),
  confirmTwoFactor: () => ({ path: '/api/account/2fa/confirm', body: { code: '123456' } }),
  disableTwoFactor: () => ({
    path: '/api/account/2fa/disable',
    body: { password: administrator.password },
  }),
  revokeSession: () => ({ path: `/api/account/sessions/${otherSession}` }),
  createUser: () => ({
    path: '/api/users',
    body: { email: 'new@example.com', password: 'another long password', role: 'readonly' },
  }),
  updateUser: () => ({ path: `/api/users/${account}`, body: { role: 'readonly' } }),
  deleteUser: () => ({ path: `/api/users/${account}` }),
  updateSiteConfig: () => ({ path: `/api/sites/${site.id}/config`, body: { hsts: true } }),
  updateSitePhp: () => ({ path: `/api/sites/${site.id}/php`, body: { memory_limit_mb: 300 } }),
  issueCertificate: () => ({ path: `/api/sites/${site.id}/certificate` }),
  purgeCache: () => ({ path: `/api/sites/${site.id}/purge`, body: { all: true } }),
  warmCache: () => ({ path: `/api/sites/${site.id}/warm` }),
  rotateConnectorToken: () => ({ path: `/api/sites/${site.id}/connector/rotate` }),
  createCronJob: () => ({
    path: `/api/sites/${site.id}/cron`,
    body: { schedule: '@daily', command: 'php -v' },
  }),
  runCronJob: () => ({ path: `/api/cron/${cronJob}/run` }),
  deleteCronJob: () => ({ path: `/api/cron/${cronJob}` }),
  setSftp: () => ({ path: `/api/sites/${site.id}/sftp`, body: { enabled: true } }),
  addSshKey: () => ({ path: `/api/sites/${site.id}/ssh-keys`, body: { public_key: publicKey } }),
  deleteSshKey: () => ({ path: `/api/sites/${site.id}/ssh-keys/${'A'.repeat(43)}` }),
  resolveDrift: () => ({ path: `/api/system/drift/daaaaaaaaaaaaaaa/resolve`, body: { action: 'restore' } }),
}
const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'

interface Attempt {
  name: string
  status: number
  code: unknown
  ms: number
}

async function attempt(name: string, method: string, path: string, body?: unknown): Promise<Attempt> {
  const started = performance.now()
  const answer = await panel.call<{ code?: unknown }>(method, path, body)
  return { name, status: answer.status, code: answer.body.code, ms: Math.round(performance.now() - started) }
}

function attemptAll(): Promise<Attempt>[] {
  return (
    endpoints
      // A site's plugin presents a token instead of the session used here.
      .filter(({ method, path, role }) => method !== 'GET' && role !== 'connector' && !isSigningIn(path))
      .map(({ name, method }) => {
        const action = actions[name]
        if (!action) throw new Error(`${name} has no sample request here`)
        const { path, body } = action()
        return attempt(name, method, path, body)
      })
  )
}

/** Everything that has to hold while the agent is away. */
async function expectOutage(): Promise<void> {
  const before = serverState(reeve.root)
  const lists = await Promise.all(['/api/sites', '/api/tasks'].map((path) => panel.call('GET', path)))
  expect(lists.map(({ status }) => status)).toEqual([200, 200])

  const page = await fetch(`${panel.origin}/`)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  const script = /<script[^>]+src="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  expect((await fetch(new URL(script, panel.origin))).status).toBe(200)
  expect((await panel.call('GET', '/api/me')).status).toBe(200)

  const attempts: Attempt[] = []
  for (const each of attemptAll()) attempts.push(await each)
  // And many at once: none waits for another.
  attempts.push(...(await Promise.all(Array.from({ length: 5 }, attemptAll).flat())))
  console.log(`${attempts.length} attempts, slowest ${Math.max(...attempts.map(({ ms }) => ms))} ms`)
  const wrong = attempts.filter(
    ({ status, code, ms }) => status !== 502 || code !== 'agent_unavailable' || ms > 1000,
  )
  expect(wrong).toEqual([])
  // No action, but only the agent can answer it.
  expect(await attempt('listAudit', 'GET', '/api/audit')).toMatchObject({ status: 502 })

  expect((await visit(site.domain, { port: reeve.httpsPort })).status).toBe(200)
  const after = await Promise.all(['/api/sites', '/api/tasks'].map((path) => panel.call('GET', path)))
  expect(after.map(({ body }) => body)).toEqual(lists.map(({ body }) => body))
  expect(serverState(reeve.root)).toEqual(before)
}

/** Nobody restarts or signs in: the next action that is tried works. */
async function expectRecovery(domain: string): Promise<void> {
  const deadline = Date.now() + 15_000
  for (;;) {
    const made = await panel.call<{ task: Task; site: Site }>('POST', '/api/sites', {
      domain,
      type: 'static',
    })
    if (made.status === 202) {
      expect((await panel.taskEnd(made.body.task.id)).state).toBe('succeeded')
      expect((await panel.deleteSite(made.body.site.id)).state).toBe('succeeded')
      return
    }
    expect(made.body).toMatchObject({ code: 'agent_unavailable' })
    if (Date.now() > deadline) throw new Error('the agent did not come back in 15 s')
    await new Promise((done) => setTimeout(done, 200))
  }
}

const parentOf = (pid: number) =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

describe('with the agent away', () => {
  it('every action answers 502 within a second while the agent is stopped', async () => {
    const pid = reeve.pid('agent')
    process.kill(pid, 'SIGSTOP')
    try {
      await expectOutage()
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await expectRecovery('stopped.example.com')
    expect(reeve.pid('agent')).toBe(pid)
  })

  it('every action answers 502 within a second while the agent is dead and not started again', async () => {
    const pid = reeve.pid('agent')
    const host = parentOf(pid)
    process.kill(host, 'SIGSTOP')
    try {
      process.kill(pid, 'SIGKILL')
      await expect(pingMs(reeve)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
      await expectOutage()
    } finally {
      process.kill(host, 'SIGCONT')
    }
    await expectRecovery('killed.example.com')
    expect(reeve.pid('agent')).not.toBe(pid)
  })

  it('every action answers 502 within a second while there is no socket', async () => {
    const socket = agentSocket(reeve)
    renameSync(socket, `${socket}.away`)
    try {
      await expectOutage()
    } finally {
      renameSync(`${socket}.away`, socket)
    }
    await expectRecovery('missing.example.com')
  })

  it('a task that has begun waits for the agent and is then finished', async () => {
    const domain = 'waiting.example.com'
    const made = await panel.call<{ task: Task; site: Site }>('POST', '/api/sites', {
      ...wordpressFields,
      domain,
    })
    expect(made.status).toBe(202)
    const pid = reeve.pid('agent')
    process.kill(pid, 'SIGKILL')
    const task = await panel.taskEnd(made.body.task.id)
    expect(task.state).toBe('succeeded')
    expect(reeve.pid('agent')).not.toBe(pid)
    expect((await visit(domain, { port: reeve.httpsPort, path: '/?fresh' })).status).toBe(200)
  })
})
