import { pathsBelow } from '../paths.ts'
import { verifyAuditLog } from './audit-log.ts'
import { auditFolder } from './operations.ts'

/** `reeve verify-audit`: checks the chain without the agent. Throws with the first thing that does not fit. */
export async function verifyAudit(env: NodeJS.ProcessEnv): Promise<string> {
  const { intact, entries, head, problem } = verifyAuditLog(auditFolder(pathsBelow(env['REEVE_ROOT'] ?? '/')))
  if (!intact)
    throw new Error(`The audit log is not intact: ${problem} The ${entries} entries before it are.`)
  return (
    `The audit log is intact: ${entries} entries, head ${head}.\n` +
    'Compare the head with the last "audit" line of the agent in the journal: that line shows if the end was cut off.\n'
  )
}
