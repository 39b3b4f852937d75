import { driftList, driftResolve } from '@reeve/contract/drift.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { resolveDrift } from './resolve.ts'
import { listDriftItems } from './sweep.ts'

export function driftOperations(context: AgentContext): BoundOperation[] {
  return [
    bind(driftList, async ({ sweep }) => ({
      items: await listDriftItems(context, sweep),
      swept_at: context.registry.sweptAt(),
    })),
    bind(driftResolve, (input) => resolveDrift(context, input)),
  ]
}
