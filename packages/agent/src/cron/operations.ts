import { AppError } from '@reeve/contract/errors.ts'
import { cronApply, cronRun, cronState } from '@reeve/contract/cron.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import type { RegisteredSite } from '../registry.ts'

export function cronOperations({ registry, cron }: AgentContext): BoundOperation[] {
  const siteOf = (id: SiteId): RegisteredSite => {
    const site = registry.findSite(id)
    if (site) return site
    throw new AppError('not_found', `There is no site ${id} on this server.`)
  }
  return [
    bind(cronApply, async ({ id, jobs }) => {
      await cron.apply(siteOf(id), jobs)
      return {}
    }),
    bind(cronRun, async ({ id, job }) => ({ started: cron.runNow(siteOf(id), job) })),
    bind(cronState, async ({ id }) => ({ jobs: cron.stateOf(siteOf(id)) })),
  ]
}
