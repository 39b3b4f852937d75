// Requests to a private server over loopback, with the site's name and nothing that a browser would add.
import { request as requestHttp } from 'node:http'
import { type Agent, type RequestOptions, request as requestHttps } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Visit {
  port: number
  host: string
  path?: string
  method?: string
  headers?: Record<string, string>
  body?: string
  agent?: Agent
  scheme?: 'http' | 'https'
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Rejects with the connection's error when there is no answer. */
export function visit(to: Visit): Promise<Answer> {
  const options: RequestOptions = {
    ...{ host: '127.0.0.1', port: to.port, path: to.path ?? '/', method: to.method ?? 'GET' },
    ...{ servername: to.host, rejectUnauthorized: false, timeout: 20_000 },
    headers: { host: to.port === 443 ? to.host : `${to.host}:${to.port}`, ...to.headers },
    agent: to.agent ?? false,
  }
  return new Promise((resolve, reject) => {
    const call = (to.scheme === 'http' ? requestHttp : requestHttps)(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      })
    })
    call.on('error', reject)
    call.on('timeout', () => call.destroy(new Error(`no answer from ${to.host}`)))
    call.end(to.body)
  })
}

/** Waits for a condition; false when it does not come true in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    if (await condition()) return true
    await sleep(20)
  }
  return false
}

/** A port that nothing listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      // The address of a listening TCP server is an AddressInfo.
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Sends bytes and resolves with what came back before the connection closed. */
export function speak(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.setTimeout(5000, () => socket.destroy())
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('error', () => resolve(answer))
    socket.on('close', () => resolve(answer))
  })
}
