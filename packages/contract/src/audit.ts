import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { SiteId, Timestamp } from './primitives.ts'

/** `ok` it was done or accepted · `refused` a rule or role said no · `failed` it was tried and did not work. */
export const AuditResult = z.enum(['ok', 'refused', 'failed'])
export type AuditResult = z.infer<typeof AuditResult>

/** What the API tells the agent about one action. Never a secret. */
export const AuditEvent = z.strictObject({
  /** Unique; an event delivered twice is recorded once. */
  event_id: z.string().regex(/^[0-9a-f]{32}$/),
  at: Timestamp,
  /** E-mail of the account, the e-mail somebody tried to sign in with, or `system`. */
  actor: z.string().max(254),
  /** Name of the endpoint or kind of the task: `createSite`, `site.create`. */
  action: z.string().max(100),
  /** What it was done to: a domain, an e-mail, an id. */
  target: z.string().max(300).nullable(),
  site_id: SiteId.nullable(),
  /** Address of the socket's peer. */
  address: z.string().max(64).nullable(),
  result: AuditResult,
  /** HTTP status of the answer; null for tasks. */
  status: z.int().nullable(),
  /** Why it was not done, in a sentence. */
  reason: z.string().max(1000).nullable(),
  request_id: z.string().max(64).nullable(),
})
export type AuditEvent = z.infer<typeof AuditEvent>

export const AuditEntry = AuditEvent.omit({ event_id: true })
  .extend({
    /** Position in the log, from 1. */
    seq: z.int(),
    /** SHA-256 over the previous entry's hash and this entry. */
    hash: z.string(),
  })
  .strip()
export type AuditEntry = z.infer<typeof AuditEntry>

const filters = {
  actor: z.string().min(1).max(254).optional(),
  action: z.string().min(1).max(100).optional(),
  site_id: SiteId.optional(),
  result: AuditResult.optional(),
}

export const listAudit = endpoint({
  name: 'listAudit',
  summary: 'Who did what, to what, from where; newest first',
  method: 'GET',
  path: '/api/audit',
  role: 'global',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(100),
    /** Only entries before this `seq`: the `next_before` of the page before. */
    before: z.coerce.number().int().min(1).optional(),
    ...filters,
  }),
  response: z.object({ entries: z.array(AuditEntry), next_before: z.number().nullable() }),
})

export const auditAppend = operation({
  name: 'audit.append',
  summary: 'Add events to the hash-chained audit log; an event that is already there is left alone',
  input: z.strictObject({ events: z.array(AuditEvent).min(1).max(200) }),
  output: z.strictObject({ seq: z.int(), hash: z.string() }),
})

export const auditRead = operation({
  name: 'audit.read',
  summary: 'Read the audit log, newest first',
  input: z.strictObject({ limit: z.int().min(1).max(500), before: z.int().min(1).optional(), ...filters }),
  output: z.strictObject({ entries: z.array(AuditEntry), next_before: z.int().nullable() }),
})

export const auditVerify = operation({
  name: 'audit.verify',
  summary: 'Check the whole chain of the audit log',
  input: z.strictObject({}),
  output: z.strictObject({
    intact: z.boolean(),
    entries: z.int(),
    head: z.string(),
    /** The first entry that does not fit, and why. */
    problem: z.string().nullable(),
  }),
})
