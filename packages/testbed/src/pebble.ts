// A certificate authority of a test's own: Pebble, its name server, a front that can be told to fail, and "port 80".
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { get } from 'node:https'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorityFront, type AuthorityFront } from './pebble-front.ts'

export interface CertificateAuthority extends AsyncDisposable {
  /** What a panel needs in its environment to get its certificates here. */
  env: Record<string, string>
  front: AuthorityFront
  /** Makes these names lead to the address; null makes them unknown. */
  lead(names: readonly string[], address: string | null): Promise<void>
  /** What the authority finds at port 80: the panel's HTTP port, nothing, or a stranger's web server. */
  port80: Port80
  /** Valid or Revoked, by a serial number in hexadecimal. */
  statusOf(serial: string): Promise<string>
  /** Everything Pebble printed. */
  output(): string
}

export interface AuthorityOptions {
  /** Percentage of good nonces that are refused. */
  nonceReject?: number
  /** Percentage of authorizations that are used again. */
  authorizationReuse?: number
  /** How long certificates are valid, in seconds; five years when absent. */
  validitySeconds?: number
}

/** Tries again with other ports when somebody took one of them between looking and listening. */
export async function startAuthority(options: AuthorityOptions = {}): Promise<CertificateAuthority> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options)
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function startOnce(options: AuthorityOptions): Promise<CertificateAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-pebble-'))
  const [acme, management, dns, control, port80, tls] = await sixFreePorts()
  const tlsFiles = makeTls(folder)
  const config = {
    listenAddress: `127.0.0.1:${acme}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: tlsFiles.certificate,
    privateKey: tlsFiles.key,
    httpPort: port80,
    tlsPort: tls,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    ...(options.validitySeconds === undefined ? {} : { certificateValidityPeriod: options.validitySeconds }),
  }
  writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble: config }))
  const names = program('/usr/bin/pebble-challtestsrv', [
    ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${control}`],
    ...['-defaultIPv4', '', '-defaultIPv6', '', '-http01', '', '-https01', '', '-tlsalpn01', ''],
  ])
  const pebble = program(
    '/usr/bin/pebble',
    ['-config', join(folder, 'pebble.json'), '-dnsserver', `127.0.0.1:${dns}`],
    {
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 0),
      PEBBLE_AUTHZREUSE: String(options.authorizationReuse ?? 0),
    },
  )
  const front = await authorityFront(acme, tlsFiles)
  const door = createPort80(port80)
  const stop = async () => {
    await door.close()
    await front[Symbol.asyncDispose]()
    await Promise.all([names.stop(), pebble.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all([listens(acme, pebble), listens(control, names), listens(dns, names)])
    // Taken from now on.
    await door.strange(503)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    env: {
      REEVE_ACME_DIRECTORY: `https://127.0.0.1:${front.port}/dir`,
      REEVE_ACME_CA: tlsFiles.certificate,
      REEVE_ACME_HTTP_PORT: String(port80),
      REEVE_DNS_SERVER: `127.0.0.1:${dns}`,
    },
    front,
    port80: door,
    output: () => pebble.output(),
    statusOf: (serial) => statusOf(management, tlsFiles, serial),
    async lead(hosts, address) {
      for (const host of hosts) {
        await tell(control, 'clear-a', { host })
        if (address !== null) await tell(control, 'add-a', { host, addresses: [address] })
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function tell(port: number, what: string, body: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  })
  if (!answer.ok) throw new Error(`the name server answered ${answer.status} to ${what}`)
}

function statusOf(port: number, tls: TlsFiles, serial: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const url = `https://127.0.0.1:${port}/cert-status-by-serial/${serial.toLowerCase()}`
  const call = get(url, { ca: readFileSync(tls.certificate), agent: false, timeout: 5000 }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('error', reject)
    response.on('end', () => resolve((JSON.parse(text) as { Status: string }).Status))
  })
  call.on('timeout', () => call.destroy(new Error('timed out')))
  call.on('error', reject)
  return promise
}

export interface TlsFiles {
  certificate: string
  key: string
}

/** Debian ships none for Pebble. */
export function makeTls(folder: string, address = '127.0.0.1'): TlsFiles {
  const files = { certificate: join(folder, 'authority.pem'), key: join(folder, 'authority-key.pem') }
  execFileSync(
    '/usr/bin/openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=A test', '-addext', `subjectAltName=IP:${address}`],
      ...['-keyout', files.key, '-out', files.certificate],
    ],
    { stdio: 'ignore' },
  )
  return files
}

interface Program {
  output(): string
  hasEnded(): boolean
  stop(): Promise<void>
}

function program(path: string, args: readonly string[], env: Record<string, string> = {}): Program {
  const child: ChildProcess = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const closed = new Promise<void>((done) => {
    child.once('close', () => done())
    child.once('error', (error) => {
      output += String(error)
      done()
    })
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  return {
    output: () => output,
    hasEnded,
    async stop() {
      if (!hasEnded()) child.kill('SIGKILL')
      await closed
    },
  }
}

async function listens(port: number, { output, hasEnded }: Program): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await isOpen(port))) {
    if (hasEnded() || Date.now() > deadline) throw new Error(`nothing listens on ${port}:\n${output()}`)
    await new Promise((done) => setTimeout(done, 25))
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}

export interface Port80 {
  /** Hands what comes in on to this port, as a router does. */
  forwardTo(port: number): Promise<void>
  /** Somebody else's web server, which answers everything with this. */
  strange(status: number, headers?: Readonly<Record<string, string>>): Promise<void>
  /** Nothing listens. */
  close(): Promise<void>
}

function createPort80(port: number): Port80 {
  let server: Server | undefined
  let end = () => {}
  const close = async () => {
    const closing = server
    server = undefined
    if (!closing) return
    const closed = new Promise((done) => closing.close(done))
    end()
    await closed
  }
  const open = async (next: Server, whenClosed: () => void) => {
    await close()
    server = next
    end = whenClosed
    await new Promise<void>((done, reject) => {
      next.once('error', reject)
      next.listen(port, '127.0.0.1', done)
    })
  }
  return {
    close,
    async forwardTo(target) {
      const sockets = new Set<{ destroy(): unknown }>()
      const relay = createServer((inner) => {
        const outer = connect(target, '127.0.0.1')
        for (const [from, to] of [
          [inner, outer],
          [outer, inner],
        ] as const) {
          sockets.add(from)
          from.on('error', () => to.destroy())
          from.on('close', () => sockets.delete(from))
          from.pipe(to)
        }
      })
      await open(relay, () => {
        for (const socket of sockets) socket.destroy()
      })
    },
    async strange(status, headers = {}) {
      const stranger = createHttpServer((_request, response) => {
        response.writeHead(status, { connection: 'close', ...headers })
        response.end('somebody else')
      })
      await open(stranger, () => stranger.closeAllConnections())
    },
  }
}

/** Below the range that the kernel gives to outgoing connections, so that none of those takes one meanwhile. */
async function sixFreePorts(): Promise<[number, number, number, number, number, number]> {
  const found: number[] = []
  while (found.length < 6) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    if (!found.includes(port) && (await isFree(port))) found.push(port)
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = found
  return [a, b, c, d, e, f]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, '0.0.0.0', () => server.close(() => done(true)))
  })
}
