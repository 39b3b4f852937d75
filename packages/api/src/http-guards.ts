// What is checked before anybody looks at the body: the shape of the path, the name the panel was called by,
// and that an unsafe request comes from the panel's own pages.
import { timingSafeEqual } from 'node:crypto'
import { AppError } from '@reeve/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import type { Config } from './config.ts'

/** Sent with every answer. Sites hosted here may be same-site with the panel, so nothing is left to defaults. */
export const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** No empty, dot, encoded or odd segments: one resource has one spelling. */
export function isPlainPath(path: string): boolean {
  if (!/^(?:\/|(?:\/[A-Za-z0-9._~:@+=-]+)+\/?)$/.test(path)) return false
  return !path.split('/').some((segment) => segment === '.' || segment === '..')
}

/** The origin of the panel as this request names it, or undefined when the name is not ours. */
export function ownOrigin(config: Config, port: number, host: string | undefined): string | undefined {
  if (host === undefined) return undefined
  if (config.panelDomain !== null && host === config.panelDomain) return `https://${host}`
  const loopback = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
  const bound = config.host.includes(':') ? `[${config.host}]:${port}` : `${config.host}:${port}`
  return loopback.includes(host) || host === bound ? `http://${host}` : undefined
}

const isUnsafe = (method: string) => method !== 'GET' && method !== 'HEAD'

/** `declaresStream`: an event stream is as sensitive as a write, its answer is read over time. */
export function checkOrigin(request: FastifyRequest, origin: string): void {
  const { origin: given, 'sec-fetch-site': site } = request.headers
  const foreign =
    (given !== undefined && given !== origin) ||
    (site !== undefined && site !== 'same-origin' && (isUnsafe(request.method) || site !== 'none'))
  if (foreign) {
    throw new AppError(
      'forbidden',
      'This request does not come from the panel itself and was not carried out.',
    )
  }
}

export function hasBody(request: FastifyRequest): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

export function checkContentType(request: FastifyRequest): void {
  if (!hasBody(request)) return
  if (!isUnsafe(request.method)) {
    throw new AppError('invalid_request', 'A GET request takes no body.')
  }
  if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('unsupported_media_type', 'Send the body as application/json.')
  }
}

/** The socket's peer, unless that is our own proxy, which proves itself by its secret. */
export function clientAddress(request: FastifyRequest, proxySecret: string | null): string {
  const peer = plainAddress(request.socket.remoteAddress ?? 'unknown')
  const secret = request.headers['x-reeve-proxy']
  const forwarded = request.headers['x-forwarded-for']
  if (proxySecret === null || typeof secret !== 'string' || typeof forwarded !== 'string') return peer
  const [given, expected] = [Buffer.from(secret), Buffer.from(proxySecret)]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return peer
  return /^[0-9a-fA-F:.]{2,45}$/.test(forwarded) ? plainAddress(forwarded) : peer
}

const plainAddress = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')
