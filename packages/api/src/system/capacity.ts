import { systemDescribe } from '@reeve/contract/system.ts'
import type { z } from 'zod'
import type { AgentClient } from '../agent-client.ts'

export type SystemDescription = z.output<typeof systemDescribe.output>

export interface Capacity {
  /** At most a minute old. */
  recent(): Promise<SystemDescription>
  /** Asked of the agent now; throws `agent_unavailable` when it is not there. */
  current(): Promise<SystemDescription>
}

const freshMs = 60_000

export function createCapacity(agent: AgentClient): Capacity {
  let known: { description: SystemDescription; at: number } | undefined
  const current = async () => {
    const description = await agent.call(systemDescribe, {})
    known = { description, at: Date.now() }
    return description
  }
  return {
    current,
    recent: async () => (known && Date.now() - known.at < freshMs ? known.description : await current()),
  }
}
