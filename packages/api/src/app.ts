// The HTTP server: what happens to every request before and after its endpoint.
import { endpoints } from '@reeve/contract/endpoints.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { accessRoutes } from './access/routes.ts'
import { ownAccountRoutes } from './accounts/own-routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { userRoutes } from './accounts/user-routes.ts'
import { auditTrail, recordRequest } from './audit/request.ts'
import { auditRoutes } from './audit/routes.ts'
import { certificateRoutes } from './certificates/routes.ts'
import { cacheRoutes } from './cache/routes.ts'
import { connectorRoutes } from './connector/routes.ts'
import type { Context } from './context.ts'
import { cronRoutes } from './cron/routes.ts'
import { eventRoutes } from './events-route.ts'
import { checkContentType, isPlainPath, ownOrigin, securityHeaders } from './http-guards.ts'
import { refuseSitePeers } from './local-peer.ts'
import { describeError, log } from './log.ts'
import { logRoutes } from './logs/routes.ts'
import type { Api } from './route.ts'
import { notFound } from './scope.ts'
import { phpRoutes } from './php/routes.ts'
import { configRoutes } from './sites/config-routes.ts'
import { siteRoutes } from './sites/routes.ts'
import { driftRoutes } from './drift/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { loadWebAssets, type WebAssets } from './web-assets.ts'

const bodyBytesAtMost = 4 * 1024 * 1024

export interface App extends AsyncDisposable {
  /** Port it listens on. */
  readonly port: number
}

export async function startApp(context: Context): Promise<App> {
  const { config } = context
  const fastify = Fastify({
    logger: false,
    bodyLimit: bodyBytesAtMost,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: 60_000,
    connectionTimeout: 0,
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      // Longer than any request line can be: what is too long for an id is simply not found.
      maxParamLength: 65_536,
    },
    clientErrorHandler: answerBrokenRequest,
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
  })
  acceptJsonOnly(fastify)
  const assets = tryLoadAssets(config.webFolder)
  let port = config.port
  context.originOf = (request) => {
    const origin = ownOrigin(config, port, request.headers.host)
    if (origin !== undefined) return origin
    throw new AppError(
      'misdirected',
      `The panel does not answer to this name. Open it as ${config.panelDomain === null ? `http://127.0.0.1:${port}` : `https://${config.panelDomain}`}.`,
    )
  }
  fastify.addHook('onRequest', async (request, reply) => {
    // The files of the interface say otherwise themselves.
    reply.headers({ ...securityHeaders, 'cache-control': 'no-store' })
    context.originOf(request)
    return await divertUnknown(request, reply, assets)
  })
  fastify.setErrorHandler(async (error: FastifyError | AppError, request, reply) => {
    await answerError(context, error, request, reply)
  })
  registerRoutes({ fastify, context, handled: new Set() })
  refuseSitePeers(fastify.server)
  await fastify.listen({ host: config.host, port: config.port })
  const address = fastify.server.address()
  if (typeof address === 'object' && address !== null) port = address.port
  return { port, [Symbol.asyncDispose]: () => fastify.close() }
}

/** The contract's schemas are checked by `route`. Fastify's own compilers would cost 5 MB without being used. */
function refuseSchema(): never {
  throw new Error('A route has a schema of Fastify; declare it as an endpoint of the contract instead.')
}

function registerRoutes(api: Api): void {
  systemRoutes(api)
  accountRoutes(api)
  ownAccountRoutes(api)
  userRoutes(api)
  siteRoutes(api)
  certificateRoutes(api)
  configRoutes(api)
  cacheRoutes(api)
  connectorRoutes(api)
  phpRoutes(api)
  taskRoutes(api)
  eventRoutes(api)
  logRoutes(api)
  cronRoutes(api)
  accessRoutes(api)
  driftRoutes(api)
  auditRoutes(api)
  const missing = endpoints.filter((endpoint) => !api.handled.has(endpoint)).map(({ name }) => name)
  const unlisted = [...api.handled]
    .filter((endpoint) => !endpoints.includes(endpoint))
    .map(({ name }) => name)
  if (missing.length > 0) throw new Error(`These endpoints have no handler: ${missing.join(', ')}.`)
  if (unlisted.length > 0) throw new Error(`These handlers are not in the list: ${unlisted.join(', ')}.`)
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url
const isApi = (url: string) => /^\/api(?:[/?]|$)/i.test(url)

// Runs before any body is read: a path that is no endpoint's is the interface's or nobody's.
async function divertUnknown(request: FastifyRequest, reply: FastifyReply, assets: WebAssets) {
  const path = pathOf(request.url)
  // The router would take an empty last segment for an id.
  if (!isPlainPath(path) || (isApi(path) && path.endsWith('/'))) throw notFound()
  if (!request.is404) return undefined
  const methods = methodsOf(path)
  if (methods.length > 0 && !methods.some((method) => method === request.method)) {
    reply.header('allow', methods.join(', '))
    throw new AppError('method_not_allowed', `${request.method} is not possible here.`)
  }
  if (isApi(path) || methods.length > 0) throw notFound()
  if (request.method !== 'GET' && request.method !== 'HEAD') throw notFound()
  return await assets.serve(path, request, reply)
}

const patterns = endpoints.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

const methodsOf = (path: string) =>
  patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)

function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      checkContentType(request)
      done(null, parseJson(decoder.decode(Buffer.from(body))))
    } catch (error) {
      const isOwn = error instanceof AppError
      done(isOwn ? error : new AppError('invalid_request', 'The body is not JSON in UTF-8.'), undefined)
    }
  })
}

const poison = new Set(['__proto__', 'constructor', 'prototype'])

function parseJson(text: string): unknown {
  if (text === '') return {}
  return JSON.parse(text, (key, value: unknown) => {
    if (!poison.has(key)) return value
    throw new AppError('invalid_request', `Unknown field "${key}".`, { field: key })
  })
}

async function answerError(
  context: Context,
  error: FastifyError | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const known = error instanceof AppError ? error : fromFastify(error)
  const { requestId } = auditTrail(request)
  const answer =
    known ?? new AppError('internal', 'Something unexpected went wrong.', { request_id: requestId })
  if (!known || known.code === 'internal') {
    log('request failed', { request: requestId, url: pathOf(request.url), error: describeError(error) })
  }
  await recordRequest(context, request, answer.status, answer.message).catch((cause: unknown) =>
    log('audit event not recorded', { request: requestId, error: describeError(cause) }),
  )
  const retryAfter = answer.details['retry_after_s']
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter))
  await reply.code(answer.status).type('application/json; charset=utf-8').send(answer.toBody())
}

/** What is not even HTTP: an answer by hand, and the connection ends. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const message = isTooLarge
    ? 'The headers of the request are too large.'
    : 'This is not a valid HTTP request.'
  const body = JSON.stringify(new AppError('invalid_request', message).toBody())
  const headers = Object.entries({ ...securityHeaders, 'cache-control': 'no-store' })
  socket.end(
    `HTTP/1.1 ${isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\n` +
      `${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `connection: close\r\n\r\n${body}`,
  )
}

const isDiskFull = (error: Error) => /disk is full|ENOSPC/.test(error.message)

function fromFastify(error: FastifyError): AppError | undefined {
  if (isDiskFull(error)) {
    return new AppError(
      'internal',
      'The disk of the server is full: nothing was changed. Free some space and try again.',
    )
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('too_large', 'A request body may have at most 4 MB.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'Send the body as application/json.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('invalid_request', 'The body is not as long as the request says.')
    default:
      return error.statusCode !== undefined && error.statusCode < 500
        ? new AppError('invalid_request', 'The request is not valid.')
        : undefined
  }
}

function tryLoadAssets(folder: string): WebAssets {
  try {
    return loadWebAssets(folder)
  } catch (error) {
    // The API is complete without its interface; the log says why there is none.
    log('user interface not found', { folder, error: error instanceof Error ? error.message : String(error) })
    return {
      serve: async (_path, _request, reply) =>
        await reply
          .code(404)
          .type('text/plain; charset=utf-8')
          .send('The user interface is not installed beside the program; the API is at /api.\n'),
    }
  }
}
