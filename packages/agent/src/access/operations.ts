import { accessApply, accessDescribe } from '@reeve/contract/access.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { applyAccess, describeAccess } from './access.ts'

export function accessOperations(context: AgentContext): BoundOperation[] {
  return [
    bind(accessApply, ({ id, ...wanted }) => applyAccess(context, context.registry.requireSite(id), wanted)),
    bind(accessDescribe, async ({ id }) => describeAccess(context, context.registry.requireSite(id))),
  ]
}
