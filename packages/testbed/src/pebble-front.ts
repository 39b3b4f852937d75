// A TLS front before Pebble, which hands everything on and can be told to fail instead, to lose an answer after
// Pebble has acted on it, and to give advice on renewals, which Debian 12's Pebble does not know.
import { readFileSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TlsFiles } from './pebble.ts'

export interface Failure {
  status: number
  headers?: Readonly<Record<string, string>>
  /** Sent as a problem document. */
  problem?: { type: string; detail: string }
  /** Hands the request on first and loses Pebble's answer. */
  afterwards?: boolean
}

export interface AuthorityFront extends AsyncDisposable {
  port: number
  /** Method and path of every request so far. */
  requests: string[]
  /** Bodies of the signed requests, decoded, by path. */
  payloads: { path: string; payload: Record<string, unknown> }[]
  /** Requests whose path contains `part` fail so, `times` times. */
  fail(part: string, failure: Failure, times?: number): void
  /** Holds back requests whose path contains `part` until what comes back is called. */
  hold(part: string): { reached: Promise<void>; release(): void }
  /** Forgets every failure that is still to come. */
  heal(): void
  /** The window in which every certificate is to be renewed; undefined for an authority without advice. */
  renewalWindow: { start: Date; end: Date } | undefined
}

interface Rule {
  part: string
  left: number
  failure: Failure
}

export async function authorityFront(pebblePort: number, tls: TlsFiles): Promise<AuthorityFront> {
  const certificate = readFileSync(tls.certificate)
  const agent = new Agent({ keepAlive: true, ca: certificate })
  const rules: Rule[] = []
  const holds: { part: string; reach(): void; open: Promise<void> }[] = []

  const handOn = (incoming: IncomingMessage, body: Buffer) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ answer: IncomingMessage; body: Buffer }>()
    const call = request({
      host: '127.0.0.1',
      port: pebblePort,
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
      agent,
    })
    call.on('response', (answer) => {
      collect(answer).then((received) => resolve({ answer, body: received }), reject)
    })
    call.on('error', reject)
    call.end(body)
    return promise
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const path = incoming.url ?? ''
    const body = await collect(incoming)
    front.requests.push(`${incoming.method} ${path}`)
    if (incoming.method === 'POST') front.payloads.push({ path, payload: payloadOf(body) })
    for (const held of holds.filter(({ part }) => path.includes(part))) {
      held.reach()
      await held.open
    }
    const rule = rules.find(({ part, left }) => left > 0 && path.includes(part))
    if (rule) {
      rule.left--
      if (rule.failure.afterwards) await handOn(incoming, body)
      return fail(response, rule.failure)
    }
    if (front.renewalWindow && path.startsWith('/renewal-information/'))
      return advise(response, front.renewalWindow)
    const { answer, body: answered } = await handOn(incoming, body)
    const isDirectory = path === '/dir' && front.renewalWindow !== undefined
    response.writeHead(answer.statusCode ?? 502, isDirectory ? {} : answer.headers)
    response.end(isDirectory ? withAdvice(answered, `https://${incoming.headers.host}`) : answered)
  }

  const server = createServer({ cert: certificate, key: readFileSync(tls.key) }, (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const front: AuthorityFront = {
    port: (server.address() as AddressInfo).port,
    requests: [],
    payloads: [],
    renewalWindow: undefined,
    fail: (part, failure, times = Number.POSITIVE_INFINITY) => rules.push({ part, failure, left: times }),
    hold(part) {
      const reached = Promise.withResolvers<void>()
      const open = Promise.withResolvers<void>()
      const held = { part, reach: () => reached.resolve(), open: open.promise }
      holds.push(held)
      return {
        reached: reached.promise,
        release() {
          holds.splice(holds.indexOf(held), 1)
          open.resolve()
        },
      }
    },
    heal: () => void rules.splice(0),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
  return front
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function payloadOf(body: Buffer): Record<string, unknown> {
  const { payload } = JSON.parse(body.toString()) as { payload: string }
  return payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function fail(response: ServerResponse, { status, headers, problem }: Failure): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
  response.end(problem ? JSON.stringify({ ...problem, status }) : '<html>not an answer of ACME</html>')
}

function advise(response: ServerResponse, { start, end }: { start: Date; end: Date }): void {
  response.writeHead(200, { 'content-type': 'application/json', 'retry-after': '21600' })
  response.end(JSON.stringify({ suggestedWindow: { start: start.toISOString(), end: end.toISOString() } }))
}

const withAdvice = (directory: Buffer, origin: string): string =>
  JSON.stringify({ ...JSON.parse(directory.toString()), renewalInfo: `${origin}/renewal-information` })
