import { cronApply, cronRun, cronState } from '@reeve/contract/cron.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'

export function cronOperations({ registry, cron }: AgentContext): BoundOperation[] {
  return [
    bind(cronApply, async ({ id, jobs }) => {
      await cron.apply(registry.requireSite(id), jobs)
      return {}
    }),
    bind(cronRun, async ({ id, job }) => ({ started: cron.runNow(registry.requireSite(id), job) })),
    bind(cronState, async ({ id }) => ({ jobs: cron.stateOf(registry.requireSite(id)) })),
  ]
}
