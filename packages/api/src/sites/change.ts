// How every endpoint that changes a site's document does it: one task, which undoes itself.
import { AppError } from '@reeve/contract/errors.ts'
import type { Site, SiteSpec } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import type { Caller } from '../accounts/sessions.ts'
import type { Context } from '../context.ts'
import type { BoundTask } from '../tasks/definition.ts'
import type { NewTask } from '../tasks/journal.ts'
import { startTask } from '../tasks/start.ts'
import { findSite, presentSite, reserveNames, type StoredSite, setSiteState } from './store.ts'
import { configureSiteTask } from './tasks.ts'

/** Starts the task that makes `after` the site's document; its new names are taken at once. */
export async function changeSite(
  context: Context,
  caller: Caller,
  site: StoredSite,
  after: SiteSpec,
): Promise<{ task: Task; site: Site }> {
  refuseUnserved(site)
  const input = { before: site.spec, after }
  const task = await startTask(
    context,
    taskFor(configureSiteTask, input, site.spec, caller),
    async (transaction) => {
      refuseOutdated(site, await findSite(transaction, site.id))
      await reserveNames(transaction, site.spec, after)
      await setSiteState(transaction, site.id, 'working')
    },
  )
  const shown = { ...site, spec: after, state: 'working' as const }
  return {
    task,
    site: presentSite(shown, { httpsPort: context.config.httpsPort, caller, taskId: task.id }),
  }
}

/** Between reading the document and changing it, another change may have come through. */
function refuseOutdated(read: StoredSite, now: StoredSite | undefined): void {
  if (now && JSON.stringify(now.spec) === JSON.stringify(read.spec)) return
  throw new AppError('conflict', `${read.spec.domain} was changed meanwhile; look at it and try again.`)
}

/** What was never served, or is on its way out, has no state to go back to. */
export function refuseUnserved(site: StoredSite): void {
  if (site.facts !== null && site.state !== 'deleting') return
  const why =
    site.failure === null
      ? `is ${site.state} and cannot be changed now.`
      : `cannot be changed now. ${site.failure}`
  throw new AppError('conflict', `${site.spec.domain} ${why}`)
}

export function taskFor(
  definition: BoundTask,
  input: unknown,
  site: { id: string; domain: string },
  caller: { email: string; accountId: string },
): NewTask {
  return {
    definition,
    input,
    siteId: site.id,
    siteDomain: site.domain,
    actor: caller.email,
    actorId: caller.accountId,
  }
}
