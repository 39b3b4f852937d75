// The one way to answer an endpoint. Role, schemas and status come from the contract's definition; who may
// call is decided before the body is read, unsafe requests are recorded, and nothing outside the response
// schema leaves.
import type { EndpointDefinition, Role, Scope } from '@reeve/contract/endpoint.ts'
import { AppError, invalidRequest } from '@reeve/contract/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type AuditTrail, auditTrail, recordRequest } from './audit/request.ts'
import { type Caller, findCaller, readCookie, sessionCookie } from './accounts/sessions.ts'
import type { Context } from './context.ts'
import { checkContentType, checkOrigin, clientAddress } from './http-guards.ts'
import { loadScoped, type ScopedResources, siteOfToken } from './scope.ts'
import type { StoredSite } from './sites/store.ts'

/** What `{id}` resolved to, under the name of its scope. */
type Scoped<S extends Scope> = { readonly [K in S]: ScopedResources[K] }

export interface Call<Definition extends EndpointDefinition, S extends Scope> {
  /** Undefined only where nobody need sign in. */
  readonly caller: Definition['role'] extends 'open' | 'connector' ? undefined : Caller
  readonly params: z.output<Definition['params']>
  readonly query: z.output<Definition['query']>
  readonly body: z.output<Definition['body']>
  readonly scoped: Scoped<S>
  /** Address of the client, for sessions and the audit log. */
  readonly address: string
  /** Handlers name here what the audit log should say; the site of the path is named already. */
  readonly audit: AuditTrail
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Collects the endpoints that have a handler, so that the start can refuse when one is missing. */
export interface Api {
  readonly fastify: FastifyInstance
  readonly context: Context
  readonly handled: Set<EndpointDefinition>
}

interface Admission {
  readonly caller: Caller | undefined
  readonly params: unknown
  readonly query: unknown
  readonly scoped: Partial<ScopedResources>
}

export function route<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  R extends Role,
  S extends Scope = never,
>(
  api: Api,
  definition: EndpointDefinition<Params, Query, Body, Response, R, S>,
  handler: (
    call: Call<EndpointDefinition<Params, Query, Body, Response, R, S>, S>,
  ) => Promise<z.input<Response> | undefined>,
): void {
  const admissions = new WeakMap<FastifyRequest, Admission>()
  const { context } = api
  api.handled.add(definition)
  api.fastify.route({
    method: definition.method,
    url: definition.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: async (request) => {
      auditTrail(request).endpoint = definition
      admissions.set(request, await admit(context, definition, request))
    },
    handler: async (request, reply) => {
      const admission = admissions.get(request)
      if (!admission) throw new Error('A handler ran without admission.')
      const body = parse(definition.body, request.body ?? {})
      if (needsAgent(definition)) await context.agent.ping()
      const call = {
        ...admission,
        body,
        address: clientAddress(request, context.config.proxySecret),
        audit: auditTrail(request),
        request,
        reply,
        // `admit` has checked the role and filled what the definition's scope names.
      } as unknown as Call<EndpointDefinition<Params, Query, Body, Response, R, S>, S>
      const result = await handler(call)
      if (reply.sent) return reply
      reply.code(definition.status)
      const answer = definition.status === 204 ? undefined : definition.response.parse(result)
      await recordRequest(context, request, definition.status)
      return reply.send(answer)
    },
  })
}

/** With the agent down the panel can be looked at and nothing can be changed (spec, "Errors"). */
function needsAgent(definition: EndpointDefinition): boolean {
  const isAction = definition.method !== 'GET' && definition.role !== 'open'
  return isAction && definition.worksWithoutAgent !== true
}

async function admit(
  context: Context,
  definition: EndpointDefinition,
  request: FastifyRequest,
): Promise<Admission> {
  if (definition.role === 'connector') return await admitConnector(context, definition, request)
  const caller = await authenticate(context, definition.role, request)
  auditTrail(request).caller = caller
  if (caller) checkRole(definition.role, caller)
  const scope = definition.scope
  const params = scope === undefined ? parse(definition.params, request.params) : request.params
  const scoped = scope === undefined ? {} : await loadScoped(context, scope, caller, request.params)
  nameSite(request, scoped.site ?? scoped.cron?.site)
  const origin = context.originOf(request)
  if (definition.role !== 'open' || definition.method !== 'GET') checkOrigin(request, origin)
  checkContentType(request)
  return { caller, params, query: parse(definition.query, request.query), scoped }
}

/** A site's own plugin: no cookie, so no browser can be made to send it, and no origin to compare. */
async function admitConnector(
  context: Context,
  definition: EndpointDefinition,
  request: FastifyRequest,
): Promise<Admission> {
  const site = await siteOfToken(context.db, request.headers.authorization)
  nameSite(request, site)
  checkContentType(request)
  const query = parse(definition.query, request.query)
  return { caller: undefined, params: parse(definition.params, request.params), query, scoped: { site } }
}

/** Also what is refused from here on is recorded under the site's name. */
function nameSite(request: FastifyRequest, site: StoredSite | undefined): void {
  if (!site) return
  const audit = auditTrail(request)
  audit.siteId = site.id
  audit.target = site.spec.domain
}

async function authenticate(
  context: Context,
  role: Role,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  if (role === 'open') return undefined
  const caller = await findCaller(context.db, readCookie(request.headers.cookie, sessionCookie))
  if (caller) return caller
  throw new AppError('unauthenticated', 'Sign in to continue.')
}

function checkRole(role: Role, caller: Caller): void {
  const allowed: Readonly<Record<Role, readonly Caller['role'][]>> = {
    open: [],
    auth: ['admin', 'operator', 'readonly'],
    manage: ['admin', 'operator'],
    global: ['admin', 'readonly'],
    admin: ['admin'],
    connector: [],
  }
  if (allowed[role].includes(caller.role)) return
  throw new AppError('forbidden', `An account with the role ${caller.role} may not do this.`)
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw invalidRequest(parsed.error)
}
