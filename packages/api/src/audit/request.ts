// Turns every unsafe request into one audit event: who, what, on what, from where, with which result.
import { randomBytes } from 'node:crypto'
import type { EndpointDefinition } from '@reeve/contract/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/sessions.ts'
import type { Context } from '../context.ts'
import { clientAddress } from '../http-guards.ts'
import { recordAudit } from './audit.ts'

/** What is known of a request while it is answered. */
export interface AuditTrail {
  readonly requestId: string
  endpoint: EndpointDefinition | undefined
  caller: Caller | undefined
  /** The e-mail somebody tried to sign in with. */
  claimedEmail: string | undefined
  target: string | undefined
  siteId: string | undefined
  /** Set by a handler that has written its own row inside its transaction. */
  isRecorded: boolean
}

const trails = new WeakMap<FastifyRequest, AuditTrail>()

export function auditTrail(request: FastifyRequest): AuditTrail {
  const known = trails.get(request)
  if (known) return known
  const trail: AuditTrail = {
    requestId: randomBytes(8).toString('hex'),
    endpoint: undefined,
    caller: undefined,
    claimedEmail: undefined,
    target: undefined,
    siteId: undefined,
    isRecorded: false,
  }
  trails.set(request, trail)
  return trail
}

/** Reads are not recorded, nor is what strangers try: only accounts, sign-ins and the setup are. */
export async function recordRequest(
  context: Context,
  request: FastifyRequest,
  status: number,
  reason: string | null = null,
): Promise<void> {
  const trail = auditTrail(request)
  const { endpoint, caller } = trail
  if (!endpoint || endpoint.method === 'GET' || trail.isRecorded) return
  if (!caller && (endpoint.role !== 'open' || status === 429)) return
  trail.isRecorded = true
  await recordAudit(context.db, {
    actor: caller?.email ?? trail.claimedEmail ?? 'anonymous',
    action: endpoint.name,
    target: trail.target ?? pathId(request),
    site_id: trail.siteId ?? (endpoint.scope === 'site' ? pathId(request) : null),
    address: clientAddress(request, context.config.proxySecret),
    result: status < 400 ? 'ok' : status < 500 ? 'refused' : 'failed',
    status,
    reason,
    request_id: trail.requestId,
  })
  context.audit.flushSoon()
}

function pathId(request: FastifyRequest): string | null {
  const { params } = request
  if (typeof params !== 'object' || params === null || !('id' in params)) return null
  const id = String(params.id)
  return /^[a-z][a-z2-7]{15}$/.test(id) ? id : null
}
