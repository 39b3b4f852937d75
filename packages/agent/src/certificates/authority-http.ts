// One HTTPS exchange with a certificate authority: a deadline, a size cap, no redirects.
import { Agent, type RequestOptions, request } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'

const timeoutMs = 20_000
const maxBytes = 1024 * 1024

export interface AuthorityRequest {
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  /** A JWS, in JSON. */
  body?: string
}

export interface AuthorityAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Keeps its connections: an order is a dozen requests. `ca` is trusted instead of the system's authorities. */
export const authorityConnections = (ca: string | undefined): Agent =>
  new Agent({ keepAlive: true, maxSockets: 4, ...(ca === undefined ? {} : { ca }) })

export function ask(agent: Agent, wanted: AuthorityRequest, signal: AbortSignal): Promise<AuthorityAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<AuthorityAnswer>()
  const options: RequestOptions = {
    method: wanted.method,
    agent,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    headers: {
      'user-agent': `reeve node/${process.versions.node}`,
      'accept-language': 'en',
      ...(wanted.body === undefined ? {} : { 'content-type': 'application/jose+json' }),
    },
  }
  const call = request(wanted.url, options, (response) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) call.destroy(new Error(`the answer is longer than ${maxBytes} bytes`))
      else chunks.push(chunk)
    })
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(chunks).toString('utf8'),
      }),
    )
  })
  call.on('error', reject)
  call.end(wanted.body)
  return promise
}

/** Nobody is kept from a certificate for longer, whatever an authority says. */
const longestWaitMs = 7 * 24 * 3_600_000

/** Milliseconds from now that `Retry-After` asks to wait (RFC 9110 section 10.2.3). */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const isDate = value.endsWith(' GMT')
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : isDate ? Date.parse(value) - now : Number.NaN
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), longestWaitMs) : undefined
}
