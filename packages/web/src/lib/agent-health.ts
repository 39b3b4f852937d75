// Whether the root agent answers. Set by any 502, cleared by the next good answer that needed the agent.
import type { ErrorCode } from '@reeve/contract/errors.ts'
import { createStore } from './store.ts'

export const agentDown = createStore(false)

let downSinceMs = 0

/** The API keeps what the server can run for a minute, so an answer within it proves nothing. */
const capacityFreshMs = 60_000

/** What a good answer says about the agent. Most reads come from the API's own database. */
export function provesAgent(method: string, path: string, downForMs: number): boolean {
  if (path.startsWith('/api/audit')) return true
  if (path.startsWith('/api/system/')) return downForMs > capacityFreshMs
  return method !== 'GET' && path.startsWith('/api/sites')
}

export function reportAgent(
  call: { method: string; path: string },
  code: ErrorCode | 'network' | undefined,
): void {
  if (code === 'agent_unavailable') {
    if (!agentDown.get()) downSinceMs = Date.now()
    agentDown.set(true)
  } else if (code === undefined && provesAgent(call.method, call.path, Date.now() - downSinceMs)) {
    agentDown.set(false)
  }
}
