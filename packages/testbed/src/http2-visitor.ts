// A steady visitor over HTTP/2, who goes on as browsers do when the server closes a connection in good order.
import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import type { Door } from './host.ts'
import type { Bystander } from './visitor.ts'

/** Visits a site again and again; anything but a 200 is a failure. */
export function watchSiteByHttp2(domain: string, at: Door): Bystander {
  const failures: string[] = []
  let requests = 0
  let isStopped = false
  const loop = async () => {
    let session = await openHttp2(domain, at)
    while (!isStopped) {
      // After a GOAWAY the session takes no new request; those it has are answered (RFC 9113, 6.8).
      if (session.closed || session.destroyed) session = await openHttp2(domain, at)
      requests++
      const path = requests % 2 === 0 ? '/' : `/?bystander=${requests}`
      const { outcome, wasProcessed } = await askByHttp2(session, `${domain}:${at.port}`, path)
      // What the server says it has not seen can be sent again without harm.
      if (!wasProcessed) session.close()
      else if (outcome !== '200') failures.push(`request ${requests}: ${outcome}`)
    }
    session.close()
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

export async function openHttp2(domain: string, { address, port }: Door): Promise<ClientHttp2Session> {
  const session = connect(`https://${address}:${port}`, { servername: domain, rejectUnauthorized: false })
  session.on('error', () => {})
  await once(session, 'connect')
  return session
}

export interface Http2Answer {
  /** The status, or what went wrong. */
  outcome: string
  /** False when the server said that it has not looked at the request, which can then be sent again without harm. */
  wasProcessed: boolean
}

export async function askByHttp2(
  session: ClientHttp2Session,
  authority: string,
  path: string,
): Promise<Http2Answer> {
  const { promise, resolve } = Promise.withResolvers<Http2Answer>()
  const stream = session.request({ ':path': path, ':authority': authority })
  let status = 'no answer'
  stream.on('response', (headers) => {
    status = String(headers[':status'])
  })
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isRefused =
      error.code === 'ERR_HTTP2_GOAWAY_SESSION' || /NGHTTP2_REFUSED_STREAM/.test(error.message)
    resolve({ outcome: error.message, wasProcessed: !isRefused })
  })
  stream.on('close', () => resolve({ outcome: status, wasProcessed: true }))
  stream.resume()
  stream.end()
  return promise
}
