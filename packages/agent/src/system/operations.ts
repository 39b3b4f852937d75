import { totalmem } from 'node:os'
import { systemDescribe } from '@reeve/contract/system.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { workerBudget } from '../php/versions.ts'

export function systemOperations(context: AgentContext): BoundOperation[] {
  return [
    bind(systemDescribe, async () => {
      const versions = [...context.php.keys()]
      return {
        php_versions: versions,
        default_php_version: versions[0] ?? null,
        php_workers: workerBudget(),
        memory_mb: Math.round(totalmem() / 1024 / 1024),
      }
    }),
  ]
}
