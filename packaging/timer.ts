// `reeve timer <name>`: asks the agent to do what is due. It waits for an agent that is only just starting.
import { join } from 'node:path'
import { TimerName, timerRun } from '@reeve/contract/timers.ts'
import { createAgentClient } from '../packages/api/src/agent-client.ts'
import { becomesTrue } from './embedded/ready.ts'

const agentStartsWithinMs = 60_000
const workEndsWithinMs = 3_600_000

export async function runTimer(env: NodeJS.ProcessEnv, text: string | undefined): Promise<string> {
  const name = TimerName.safeParse(text)
  if (!name.success)
    throw new Error('Name the timer: reeve timer <name>. "systemctl list-timers" lists them.')
  const agent = createAgentClient(join(env['REEVE_ROOT'] ?? '/', 'run/reeve/agent.sock'))
  const answers = () =>
    agent.ping().then(
      () => true,
      () => false,
    )
  await becomesTrue(answers, { timeoutMs: agentStartsWithinMs, isHopeless: () => false })
  await agent.call(timerRun, { name: name.data }, { deadlineMs: workEndsWithinMs })
  return ''
}
