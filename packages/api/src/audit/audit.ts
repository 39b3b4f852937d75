// Every audit event goes through here. It is committed to an outbox first and handed to the agent, which
// keeps the log where this process cannot rewrite it; while the agent is away events wait in the outbox.
import { randomBytes } from 'node:crypto'
import type { AuditEvent } from '@reeve/contract/audit.ts'
import type { DatabaseOrTransaction } from '../db/types.ts'

export type AuditInput = Omit<AuditEvent, 'event_id' | 'at'>

const short = (text: string | null, length: number) => (text === null ? null : text.slice(0, length))

export async function recordAudit(db: DatabaseOrTransaction, input: AuditInput): Promise<void> {
  const event: AuditEvent = {
    event_id: randomBytes(16).toString('hex'),
    at: new Date().toISOString(),
    ...input,
    actor: input.actor.slice(0, 254),
    target: short(input.target, 300),
    reason: short(input.reason, 1000),
  }
  await db
    .insertInto('audit_outbox')
    .values({ event: JSON.stringify(event) })
    .execute()
}
