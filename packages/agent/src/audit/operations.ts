import { join } from 'node:path'
import { auditAppend, auditRead, auditVerify } from '@reeve/contract/audit.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import type { Log } from '../log.ts'
import type { Paths } from '../paths.ts'
import { type AuditLog, openAuditLog, verifyAuditLog } from './audit-log.ts'

export function auditOperations({ paths, log }: { paths: Paths; log: Log }): BoundOperation[] {
  const folder = auditFolder(paths)
  // Opened at the first use: a damaged log fails these operations, not the start of the agent.
  let opened: AuditLog | undefined
  const audit = () => (opened ??= openAuditLog(folder))
  return [
    bind(auditAppend, async ({ events }) => {
      const head = audit().append(events)
      // The journal keeps the head outside the files, so that a cut-off end shows.
      log('audit', head)
      return head
    }),
    bind(auditRead, async (filter) => audit().read(filter)),
    bind(auditVerify, async () => verifyAuditLog(folder)),
  ]
}

export const auditFolder = (paths: Paths): string => join(paths.agentState, 'audit')
