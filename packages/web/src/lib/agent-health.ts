// Whether the root agent answers. Set by any 502, cleared by the next good answer that needed the agent.
import type { ErrorCode } from '@reeve/contract/errors.ts'
import { createStore } from './store.ts'

export const agentDown = createStore(false)

/** What a good answer says about the agent. Most reads come from the API's own database. */
export function provesAgent(method: string, path: string): boolean {
  // The API asks the agent before it answers either of these.
  if (path.startsWith('/api/audit') || path.startsWith('/api/system/capacity')) return true
  return method !== 'GET' && path.startsWith('/api/sites')
}

export function reportAgent(
  call: { method: string; path: string },
  code: ErrorCode | 'network' | undefined,
): void {
  if (code === 'agent_unavailable') agentDown.set(true)
  else if (code === undefined && provesAgent(call.method, call.path)) agentDown.set(false)
}
