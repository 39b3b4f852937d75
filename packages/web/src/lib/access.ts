// What the signed-in person may do, and the sentence to show when not.
import type { Account } from '@reeve/contract/accounts.ts'
import { useSuspenseQuery } from '@tanstack/react-query'
import { agentDown } from './agent-health.ts'
import { meQuery } from './queries.ts'
import { useStore } from './store.ts'
import { strings } from './strings.ts'

/** The account; every page inside the shell is loaded after it. */
export function useMe(): Account {
  return useSuspenseQuery(meQuery).data
}

/** Why sites cannot be changed now, or undefined when they can. */
export function useManageReason(): string | undefined {
  const me = useMe()
  const down = useStore(agentDown)
  if (me.role === 'readonly') return strings.common.readOnlyReason
  return down ? strings.common.agentReason : undefined
}

export function useAdminReason(): string | undefined {
  return useMe().role === 'admin' ? undefined : strings.common.adminReason
}
