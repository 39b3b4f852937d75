// The HTTP API as a test uses it: one session, JSON in and out, and waiting for tasks.
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'

export interface Answer<Body = unknown> {
  status: number
  headers: Headers
  body: Body
}

export type TaskWithLog = Task & { log: string; log_offset: number }

export interface Panel {
  cookie: string
  origin: string
  call<Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<Body>>
  /** Creates a site and waits; throws with the task's log unless it succeeded. */
  createSite(fields: Readonly<Record<string, unknown>>): Promise<Site>
  deleteSite(id: string): Promise<TaskWithLog>
  /** Waits until the task has ended, through restarts of both daemons. */
  taskEnd(id: string, timeoutMs?: number): Promise<TaskWithLog>
}

export const wordpressFields = {
  type: 'wordpress',
  profile: 'balanced',
  admin_email: 'editor@example.com',
  admin_user: 'editor',
  admin_password: 'a long enough password',
} as const

interface Access {
  /** On this machine, without TLS. */
  port: number
  root: string
  email: string
  password: string
}

/** Completes the setup when it is open, and signs in. */
export function openPanel({ port, ...access }: Access): Promise<Panel> {
  const origin = `http://127.0.0.1:${port}`
  return signIn({ ...access, origin, transport: overHttp(origin) })
}

/** The same at an installed server, whose panel has a name and a certificate that nobody vouches for. */
export function openPanelAt({ address, origin, ...access }: Omit<Access, 'port'> & Place): Promise<Panel> {
  return signIn({ ...access, origin, transport: overHttps({ address, origin }) })
}

interface Place {
  address: string
  origin: string
}

interface SignIn extends Omit<Access, 'port'> {
  origin: string
  transport: Transport
}

async function signIn({ root, origin, transport, email, password }: SignIn): Promise<Panel> {
  const token = join(root, 'var/lib/reeve/setup-token')
  const send = sender(transport, origin)
  if (existsSync(token)) {
    const setup = await send('POST', '/api/setup', {
      token: readFileSync(token, 'utf8').trim(),
      email,
      password,
    })
    if (setup.status !== 201) throw new Error(`setup answered ${setup.status}: ${JSON.stringify(setup.body)}`)
  }
  const login = await send('POST', '/api/login', { email, password })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0]
  if (login.status !== 200 || !cookie)
    throw new Error(`login answered ${login.status}: ${JSON.stringify(login.body)}`)
  return panelOf(sender(transport, origin, cookie), origin, cookie)
}

function panelOf(call: Send, origin: string, cookie: string): Panel {
  const taskEnd = (id: string, timeoutMs = 60_000) => waitForTask(call, id, timeoutMs)
  return {
    cookie,
    origin,
    call,
    taskEnd,
    async createSite(fields) {
      const created = await callPatiently<{ task: Task; site: Site }>({ call }, 'POST', '/api/sites', fields)
      if (created.status !== 202)
        throw new Error(`create answered ${created.status}: ${JSON.stringify(created.body)}`)
      const task = await taskEnd(created.body.task.id)
      if (task.state !== 'succeeded') throw new Error(`creating failed: ${task.error}\n${task.log}`)
      return (await call<Site>('GET', `/api/sites/${created.body.site.id}`)).body
    },
    async deleteSite(id) {
      const accepted = await callPatiently<{ task: Task }>({ call }, 'DELETE', `/api/sites/${id}`)
      if (accepted.status !== 202)
        throw new Error(`delete answered ${accepted.status}: ${JSON.stringify(accepted.body)}`)
      return taskEnd(accepted.body.task.id)
    },
  }
}

/**
 * The panel gives the agent less than a second to answer, which a busy machine may not have. Nothing was begun then, so
 * that it can be asked again.
 */
export async function callPatiently<Body = Record<string, unknown>>(
  { call }: Pick<Panel, 'call'>,
  ...[method, path, body]: Parameters<Panel['call']>
): Promise<Answer<Body>> {
  for (const deadline = Date.now() + 30_000; ; ) {
    const answer = await call<Body>(method, path, body)
    if (answer.status !== 502 || Date.now() > deadline) return answer
    await new Promise((done) => setTimeout(done, 100))
  }
}

type Send = Panel['call']

/** One request with a body that is JSON already. */
type Transport = (
  path: string,
  options: { method: string; headers: Record<string, string>; body?: string },
) => Promise<Answer<string>>

const patienceMs = 30_000

const overHttp =
  (origin: string): Transport =>
  async (path, options) => {
    const response = await fetch(origin + path, { ...options, signal: AbortSignal.timeout(patienceMs) })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }

const overHttps =
  ({ address, origin }: Place): Transport =>
  (path, { method, headers, body }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer<string>>()
    const { hostname } = new URL(origin)
    const signal = AbortSignal.timeout(patienceMs)
    const call = request({
      ...{ host: address, servername: hostname, rejectUnauthorized: false, agent: false, signal },
      ...{ path, method, headers: { ...headers, host: hostname } },
    })
    call.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        const fields = Object.entries(response.headersDistinct)
        const pairs = fields.flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        )
        resolve({ status: response.statusCode ?? 0, headers: new Headers(pairs), body: text })
      })
    })
    call.on('error', reject)
    call.end(body)
    return promise
  }

function sender(transport: Transport, origin: string, cookie?: string): Send {
  return async <Body>(method: string, path: string, body?: unknown) => {
    const answer = await transport(path, {
      method,
      headers: {
        origin,
        ...(cookie ? { cookie } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    // The caller names the shape that the contract gives this endpoint.
    return { ...answer, body: (isJson ? JSON.parse(answer.body) : answer.body) as Body }
  }
}

async function waitForTask(call: Send, id: string, timeoutMs: number): Promise<TaskWithLog> {
  const deadline = Date.now() + timeoutMs
  for (let last = 'nothing'; ; ) {
    try {
      const { status, body } = await call<TaskWithLog>('GET', `/api/tasks/${id}`)
      if (status === 200 && (body.state === 'succeeded' || body.state === 'failed')) return body
      last = JSON.stringify(body)
    } catch (error) {
      last = String(error) // The API is being restarted.
    }
    if (Date.now() > deadline) throw new Error(`task ${id} did not end in ${timeoutMs} ms; last: ${last}`)
    await new Promise((done) => setTimeout(done, 25))
  }
}
