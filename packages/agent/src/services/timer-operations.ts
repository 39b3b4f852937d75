import { timerRun } from '@reeve/contract/timers.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { runTimer } from './timers.ts'

export function timerOperations(context: AgentContext): BoundOperation[] {
  return [
    bind(timerRun, async ({ name }) => {
      await runTimer(context, name)
      return {}
    }),
  ]
}
