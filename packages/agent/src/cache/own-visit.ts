// Asks a site of this server for a page as a visitor would, on this machine, and follows nothing.
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'

export interface Visited {
  status: number
  body: Buffer
}

export interface VisitOptions {
  /** Where the web server listens for TLS. */
  port: number
  timeoutMs: number
  /** More than this of the body is not kept, and the rest is not read. */
  mostBytes: number
  signal: AbortSignal
}

export function visitOwn(
  address: URL,
  { port, timeoutMs, mostBytes, signal }: VisitOptions,
): Promise<Visited> {
  const { promise, resolve, reject } = Promise.withResolvers<Visited>()
  const call = request({
    host: '127.0.0.1',
    port,
    servername: address.hostname,
    path: address.pathname + address.search,
    headers: {
      host: port === 443 ? address.hostname : `${address.hostname}:${port}`,
      'accept-encoding': 'gzip',
      'user-agent': 'Reeve cache warmer',
    },
    // This machine's own server: what it presents is checked when it is installed.
    rejectUnauthorized: false,
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  call.on('response', (response) => {
    readBody(response, mostBytes).then(
      (body) => resolve({ status: response.statusCode ?? 0, body }),
      (error: unknown) => reject(error),
    )
  })
  call.on('error', reject)
  call.end()
  return promise
}

async function readBody(response: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const stream: AsyncIterable<Buffer> = response
  for await (const chunk of stream) {
    size += chunk.length
    chunks.push(chunk)
    if (size > mostBytes) break
  }
  return Buffer.concat(chunks)
}
