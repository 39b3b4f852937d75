// Hands committed audit events to the agent in order and deletes them once it has them. An event may be
// delivered twice (a crash in between); the agent knows it by its id.
import { AuditEvent, auditAppend } from '@reeve/contract/audit.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { AgentClient } from '../agent-client.ts'
import type { Database } from '../db/types.ts'
import { describeError, type Log } from '../log.ts'

export interface AuditOutbox extends AsyncDisposable {
  flushSoon(): void
  /** Resolves when everything recorded so far is with the agent; throws when that is not possible now. */
  flush(): Promise<void>
}

const batchSize = 200
const retryMs = 5000

export function createAuditOutbox(db: Database, agent: AgentClient, log: Log): AuditOutbox {
  let running: Promise<void> | undefined
  const flush = async () => {
    running ??= deliver(db, agent).finally(() => {
      running = undefined
    })
    await running
  }
  const flushSoon = () => {
    flush().catch((error: unknown) => {
      // While the agent is away the events simply wait.
      if (!(error instanceof AppError && error.code === 'agent_unavailable')) {
        log('audit events not delivered', { error: describeError(error) })
      }
    })
  }
  const timer = setInterval(flushSoon, retryMs)
  flushSoon()
  return {
    flushSoon,
    async flush() {
      // A delivery that is under way may have read the outbox before the caller's event was in it.
      await running?.catch(() => {})
      await flush()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running?.catch(() => {})
    },
  }
}

async function deliver(db: Database, agent: AgentClient): Promise<void> {
  for (;;) {
    const rows = await db.selectFrom('audit_outbox').selectAll().orderBy('id').limit(batchSize).execute()
    const last = rows.at(-1)
    if (!last) return
    const events = rows.map((row) => AuditEvent.parse(JSON.parse(row.event)))
    await agent.call(auditAppend, { events })
    await db.deleteFrom('audit_outbox').where('id', '<=', last.id).execute()
  }
}
