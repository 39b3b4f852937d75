import { accessApply, accessDescribe } from '@reeve/contract/access.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import type { RegisteredSite } from '../registry.ts'
import { applyAccess, describeAccess } from './access.ts'

export function accessOperations(context: AgentContext): BoundOperation[] {
  const siteOf = (id: SiteId): RegisteredSite => {
    const site = context.registry.findSite(id)
    if (site) return site
    throw new AppError('not_found', `There is no site ${id} on this server.`)
  }
  return [
    bind(accessApply, ({ id, ...wanted }) => applyAccess(context, siteOf(id), wanted)),
    bind(accessDescribe, async ({ id }) => describeAccess(context, siteOf(id))),
  ]
}
