// HTTPS to a server by its address, for a name that no resolver knows.
import { request } from 'node:https'

export interface Visit {
  address: string
  name: string
  method?: 'GET' | 'POST' | 'DELETE'
  path?: string
  body?: unknown
  cookie?: string
}

export interface VisitAnswer {
  status: number
  body: string
  cookies: string[]
}

export function visit(options: Visit): Promise<VisitAnswer> {
  const { address, name, method = 'GET', path = '/', body, cookie } = options
  const { promise, resolve, reject } = Promise.withResolvers<VisitAnswer>()
  const call = request({
    host: address,
    servername: name,
    // A fresh server's certificate is signed by itself.
    rejectUnauthorized: false,
    method,
    path,
    agent: false,
    timeout: 10_000,
    headers: {
      host: name,
      origin: `https://${name}`,
      ...(cookie ? { cookie } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  })
  call.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        body: text,
        cookies: response.headers['set-cookie'] ?? [],
      }),
    )
  })
  call.on('timeout', () => call.destroy(new Error(`${name} did not answer within 10 s`)))
  call.on('error', reject)
  call.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}
