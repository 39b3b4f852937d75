import type { Site } from '@reeve/contract/sites.ts'
import { useManageReason } from '../lib/access.ts'
import { strings } from '../lib/strings.ts'

/** Why the site cannot be changed now: one's role, the agent, or a task that is not one's own. */
export function useSaveReason(site: Site, isOwnTask: boolean): string | undefined {
  const reason = useManageReason()
  return reason ?? (site.task_id === null || isOwnTask ? undefined : strings.site.noAction)
}
