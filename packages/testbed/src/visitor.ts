// A visitor of a hosted site: HTTPS to this machine with the site's name, and a steady one who counts failures.
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { request } from 'node:https'
import type { Door } from './host.ts'

export interface Page {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

export interface VisitOptions {
  /** This machine's own when absent. */
  address?: string
  port: number
  path?: string
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  timeoutMs?: number
  /** What must vouch for the certificate, in PEM; nobody need when absent. */
  ca?: string
  /** Which of this machine's addresses to come from. */
  localAddress?: string
}

/** One request on a connection of its own (`Connection: close`). */
export function visit(domain: string, options: VisitOptions): Promise<Page> {
  const { promise, resolve, reject } = Promise.withResolvers<Page>()
  const call = request({
    host: options.address ?? '127.0.0.1',
    port: options.port,
    servername: domain,
    path: options.path ?? '/',
    method: options.method ?? 'GET',
    headers: { host: `${domain}:${options.port}`, connection: 'close', ...options.headers },
    rejectUnauthorized: options.ca !== undefined,
    agent: false,
    timeout: options.timeoutMs ?? 20_000,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
  })
  call.on('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const body = Buffer.concat(chunks)
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body,
        text: body.toString('utf8'),
      })
    })
  })
  call.on('timeout', () => call.destroy(new Error('timed out')))
  call.on('error', reject)
  call.end(options.body)
  return promise
}

/** One request without TLS; rejects when the server closes without an answer. */
export function plainRequest(
  { address, port }: Door,
  host: string,
  path: string,
): Promise<{ status: number; location: string | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    location: string | undefined
  }>()
  const call = httpRequest({ host: address, port, path, headers: { host }, agent: false, timeout: 5000 })
  call.on('response', (response) => {
    response.resume()
    resolve({ status: response.statusCode ?? 0, location: response.headers.location })
  })
  call.on('timeout', () => call.destroy(new Error('timed out')))
  call.on('error', reject)
  call.end()
  return promise
}

export interface Bystander {
  /** Waits until it has made this many requests. */
  reach(requests: number): Promise<void>
  /** Stops and tells what happened meanwhile. */
  stop(): Promise<{ requests: number; failures: string[] }>
}

/** Visits a site again and again; anything but a 200 is a failure. */
export function watchSite(domain: string, at: Door, everyMs = 20): Bystander {
  const failures: string[] = []
  let requests = 0
  let isStopped = false
  const loop = async () => {
    while (!isStopped) {
      requests++
      // Alternately cached and rendered, so that both nginx and PHP-FPM are watched.
      const path = requests % 2 === 0 ? '/' : `/?bystander=${requests}`
      try {
        const page = await visit(domain, { ...at, path })
        if (page.status !== 200) failures.push(`request ${requests}: ${page.status}`)
      } catch (error) {
        failures.push(`request ${requests}: ${String(error)}`)
      }
      await new Promise((done) => setTimeout(done, everyMs))
    }
  }
  const running = loop()
  return {
    async reach(wanted) {
      while (requests <= wanted) await new Promise((done) => setTimeout(done, 10))
    },
    async stop() {
      isStopped = true
      await running
      return { requests, failures }
    },
  }
}
