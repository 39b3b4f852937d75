// A whole API process inside the test: its own folder, its own port, an agent that speaks the protocol.
import { request as httpRequest } from 'node:http'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AccountRole, NewPassword } from '@reeve/contract/accounts.ts'
import { createAccount } from '../accounts/accounts.ts'
import { createSession } from '../accounts/sessions.ts'
import { startApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { type Context, createContext } from '../context.ts'
import { type AgentServer, startAgentServer } from './agent-server.ts'

export interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
  /** The body as JSON, loosely typed for assertions. */
  readonly json: Record<string, unknown>
}

export interface RequestOptions {
  readonly cookie?: string | undefined
  readonly body?: unknown
  /** Sent as it is, instead of `body` as JSON. */
  readonly raw?: string | Buffer
  readonly headers?: Record<string, string>
  readonly from?: string
}

export interface Panel extends AsyncDisposable {
  readonly context: Context
  readonly agent: AgentServer
  readonly port: number
  readonly folder: string
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>
  setupToken(): string
  /** Makes an account with a session; answers its cookie. */
  signedIn(role: AccountRole, siteIds?: readonly string[]): Promise<SignedIn>
}

export interface SignedIn {
  readonly accountId: string
  readonly sessionId: string
  readonly email: string
  readonly cookie: string
}

export const password = NewPassword.parse('correct horse battery staple')

export async function startPanel(env: NodeJS.ProcessEnv = {}): Promise<Panel> {
  const folder = mkdtempSync('/var/tmp/reeve-api-')
  const config = readConfig({ REEVE_ROOT: folder, REEVE_PORT: '0', REEVE_WEB: join(folder, 'web'), ...env })
  const agent = await startAgentServer(config.paths.agentSocket)
  const context = await createContext(config)
  const app = await startApp(context)
  let accounts = 0
  let hash: string | undefined
  return {
    context,
    agent,
    folder,
    port: app.port,
    send: (method, path, options = {}) => send(app.port, method, path, options),
    setupToken: () => readFileSync(config.paths.setupToken, 'utf8').trim(),
    async signedIn(role, siteIds = []) {
      const email = `${role}${++accounts}@example.test`
      hash ??= await context.passwords.hash(password)
      const account = { email, role, passwordHash: hash, siteIds }
      const accountId = await createAccount(context.db, account)
      const session = await createSession(context.db, { accountId, address: '127.0.0.1', userAgent: null })
      return { accountId, sessionId: session.id, email, cookie: session.cookie.split(';')[0] ?? '' }
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await context[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function send(port: number, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const headers: Record<string, string> = {
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
    ...(options.cookie === undefined ? {} : { cookie: options.cookie }),
    ...options.headers,
  }
  const outgoing = httpRequest(
    {
      host: '127.0.0.1',
      port,
      method,
      path,
      headers,
      agent: false,
      ...(options.from === undefined ? {} : { localAddress: options.from }),
    },
    (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: asObject(text) })
      })
    },
  )
  // A server may answer and close before it has read the whole body.
  outgoing.on('error', reject)
  outgoing.end(payload)
  return promise
}

function asObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    // A JSON value that is an object is all that tests look into.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
