// Talks to the agent's socket as another user, and watches the agent meanwhile.
import { spawn } from 'node:child_process'
import { copyFileSync, chmodSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { Host } from '../host.ts'
import type { Reeve } from '../reeve.ts'
import type { FuzzFigures, Message, Outcome } from './socket-attacker.ts'

export type { FuzzFigures, Outcome } from './socket-attacker.ts'

export interface Identity {
  uid: number
  gid: number
}

export function identityOf(name: string): Identity {
  const row = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
  if (!row) throw new Error(`no user ${name}`)
  return { uid: Number(row.split(':')[2]), gid: Number(row.split(':')[3]) }
}

export const agentSocket = (host: Host): string => join(host.root, 'run/reeve/agent.sock')

export interface Request {
  name: string
  method?: string
  path?: string
  headers?: readonly string[]
  /** Sent as it is; an object becomes JSON. */
  body?: unknown
  /** Instead of everything above. */
  raw?: readonly (string | Buffer)[]
  connections?: number
  isHalf?: boolean
  waitMs?: number
}

/** Sends each request on a connection of its own, as this user. */
export function sendAs(reeve: Reeve, identity: Identity, requests: readonly Request[]): Promise<Outcome[]> {
  const messages = requests.map(toMessage)
  return runAttacker<Outcome[]>(reeve, identity, { socket: agentSocket(reeve), messages })
}

export function fuzzAs(
  reeve: Reeve,
  identity: Identity,
  fuzz: { count: number; seed: number; documents: Record<string, unknown> },
): Promise<FuzzFigures> {
  return runAttacker<FuzzFigures>(reeve, identity, { socket: agentSocket(reeve), fuzz })
}

function toMessage(from: Request): Message {
  const { name, connections, isHalf, waitMs } = from
  const parts = (from.raw ?? [httpRequest(from)]).map((part) => Buffer.from(part).toString('base64'))
  return {
    name,
    parts,
    ...(connections === undefined ? {} : { connections }),
    ...(isHalf === undefined ? {} : { isHalf }),
    ...(waitMs === undefined ? {} : { waitMs }),
  }
}

function httpRequest({ method = 'POST', path = '/', headers = [], body = '' }: Request): Buffer {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: agent', 'Connection: close', ...headers]
  if (!headers.some((line) => /^(content-length|transfer-encoding):/i.test(line)))
    lines.push(`Content-Length: ${bytes.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes])
}

async function runAttacker<Result>(reeve: Reeve, identity: Identity, orders: unknown): Promise<Result> {
  const script = join(reeve.root, 'socket-attacker.ts')
  copyFileSync(join(import.meta.dirname, 'socket-attacker.ts'), script)
  chmodSync(script, 0o644)
  // The copy of node below the root is the one that any user may run.
  const child = spawn(
    join(reeve.root, 'usr/lib/reeve/node'),
    ['--disable-warning=ExperimentalWarning', script],
    {
      ...identity,
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(orders))
  const code = await new Promise((done) => child.once('close', done))
  if (code !== 0) throw new Error(`the attacker ended with ${String(code)}: ${output}`)
  return JSON.parse(output)
}

/** Milliseconds until the agent answered /ping, asked by root; rejects after five seconds. */
export function pingMs(host: Host): Promise<number> {
  const started = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const call = request(
    { socketPath: agentSocket(host), path: '/ping', agent: false, timeout: 5000 },
    (response) => {
      response.resume()
      response.on('end', () => resolve(performance.now() - started))
    },
  )
  call.on('error', reject)
  call.on('timeout', () => call.destroy(new Error('no answer to /ping in 5 s')))
  call.end()
  return promise
}

export interface Watch {
  /** Ends the watch and tells the worst of it. */
  stop(): Promise<{ slowestPingMs: number; peakMb: number; startMb: number }>
}

/** Pings the agent and reads its resident memory all the while. */
export function watchAgent(reeve: Reeve): Watch {
  const pid = reeve.pid('agent')
  const startMb = residentMb(pid)
  let peakMb = startMb
  let slowestPingMs = 0
  let isStopped = false
  const loop = async () => {
    while (!isStopped) {
      slowestPingMs = Math.max(slowestPingMs, await pingMs(reeve).catch(() => Infinity))
      peakMb = Math.max(peakMb, residentMb(pid))
      await new Promise((done) => setTimeout(done, 50))
    }
  }
  const running = loop()
  return {
    async stop() {
      isStopped = true
      await running
      return { slowestPingMs: Math.round(slowestPingMs), peakMb, startMb }
    },
  }
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024)
}
