// A whole Reeve for tests: the embedded run as a person starts it, in a root of its own on ports of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { administrator, type Host, type Person, type Service } from './host.ts'
import { type Panel, openPanel } from './panel.ts'
import { wordpressSource } from './wordpress-source.ts'

export { administrator } from './host.ts'

export const repository = resolve(import.meta.dirname, '../../..')

export interface Reeve extends Host, AsyncDisposable {
  httpPort: number
  httpsPort: number
  /** Everything the host process and both daemons printed so far. */
  output(): string
  stop(): Promise<void>
}

export interface StartOptions {
  /** A root that an earlier run left; a new one when absent. */
  root?: string
  ports?: { panel: number; http: number; https: number }
  env?: Readonly<Record<string, string>>
  /** Words before the command, e.g. of a namespace to start it in. */
  launcher?: readonly string[]
}

export async function startReeve(options: StartOptions = {}): Promise<Reeve> {
  const root = options.root ?? mkdtempSync('/var/tmp/reeve-')
  chmodSync(root, 0o755)
  const [panel, http, https] = options.ports
    ? [options.ports.panel, options.ports.http, options.ports.https]
    : await freePorts()
  const program = [process.execPath, join(repository, 'dist/reeve.cjs'), 'embedded']
  const [command = '', ...args] = [...(options.launcher ?? []), ...program]
  const host = spawn(command, args, {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      REEVE_ROOT: root,
      REEVE_PORT: String(panel),
      REEVE_HTTP_PORT: String(http),
      REEVE_HTTPS_PORT: String(https),
      REEVE_WORDPRESS_SOURCE: await wordpressSource(),
      ...options.env,
    },
  })
  const output = collectOutput(host)
  const stop = () => end(host)
  try {
    await answers(`http://127.0.0.1:${panel}/healthz`, host, output)
    await ready(root, host, output)
  } catch (error) {
    await stop()
    throw error
  }
  let signedIn: Promise<Panel> | undefined
  const signIn = (person: Person = administrator) => openPanel({ port: panel, root, ...person })
  return {
    root,
    ownRoot: root,
    port: panel,
    httpPort: http,
    httpsPort: https,
    http: { address: '127.0.0.1', port: http },
    https: { address: '127.0.0.1', port: https },
    origin: `http://127.0.0.1:${panel}`,
    output,
    stop,
    pid: (role) => daemonPid(root, role),
    servicePid: (service) => recordedPid(root, service),
    panel: () => {
      signedIn ??= signIn()
      return signedIn
    },
    signIn,
    printed: async () => output(),
    asUser: (uid) => ['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'],
    async [Symbol.asyncDispose]() {
      await stop()
      if (options.root !== undefined) return
      removeUsersBelow(root)
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** The users of sites that a test left: the directory goes, but they are the host's. */
function removeUsersBelow(root: string): void {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , , , , home = ''] = line.split(':')
    if (/^site-\d+$/.test(name) && home.startsWith(`${root}/`))
      execFileSync('/usr/sbin/userdel', ['--force', name])
  }
}

/** Finds the daemon of this root by what the kernel says it runs. */
export function daemonPid(root: string, role: 'agent' | 'api'): number {
  const found = processesOf(root).find(
    ({ args }) => args.at(-1) === role && args.some((arg) => arg.endsWith('reeve.cjs')),
  )
  if (!found) throw new Error(`no ${role} runs for ${root}`)
  return found.pid
}

/** Pid of the service whose record begins so; PHP's holds its version. */
function recordedPid(root: string, service: Service): number {
  const directory = join(root, 'run/reeve/services')
  const record = readdirSync(directory).find((name) => name.startsWith(service) && name.endsWith('.pid'))
  return Number(readFileSync(join(directory, record ?? 'missing'), 'utf8').split(' ')[0])
}

export interface RunningProcess {
  pid: number
  args: string[]
}

/** Processes that name this root in their arguments. */
export function processesOf(root: string): RunningProcess[] {
  return pids().flatMap((pid) => {
    const args = argumentsOf(pid)
    return args.some((arg) => arg.includes(root)) ? [{ pid, args }] : []
  })
}

function pids(): number[] {
  return Array.from(new Set(readdirNumbers('/proc')))
}

function readdirNumbers(path: string): number[] {
  return readdirSync(path).map(Number).filter(Number.isInteger)
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  } catch {
    return []
  }
}

function collectOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return () => text
}

async function end(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return
  const closed = new Promise((done) => host.once('close', done))
  host.kill('SIGINT')
  const timer = setTimeout(() => host.kill('SIGKILL'), 40_000)
  await closed
  clearTimeout(timer)
}

async function answers(url: string, host: ChildProcess, output: () => string): Promise<void> {
  await until(host, output, `${url} did not answer`, async () => {
    try {
      return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok
    } catch {
      return false
    }
  })
}

async function ready(root: string, host: ChildProcess, output: () => string): Promise<void> {
  await until(host, output, 'the agent did not come up', async () =>
    existsSync(join(root, 'run/reeve/agent.sock')),
  )
}

async function until(
  host: ChildProcess,
  output: () => string,
  problem: string,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await isDone())) {
    if (host.exitCode !== null) throw new Error(`the embedded run ended with ${host.exitCode}:\n${output()}`)
    if (Date.now() > deadline) throw new Error(`${problem}:\n${output()}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Below the range that the kernel gives to outgoing connections, so that none of those takes one meanwhile. */
async function freePorts(): Promise<[number, number, number]> {
  const found: number[] = []
  while (found.length < 3) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    if (!found.includes(port) && (await isFree(port))) found.push(port)
  }
  const [panel = 0, http = 0, https = 0] = found
  return [panel, http, https]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, '0.0.0.0', () => server.close(() => done(true)))
  })
}
