import { AppError } from '@reeve/contract/errors.ts'
import { createCronJob, cronRun, deleteCronJob, listCronJobs, runCronJob } from '@reeve/contract/cron.ts'
import { newId } from '../ids.ts'
import { createSiteLock } from '../sites/site-lock.ts'
import { type Api, route } from '../route.ts'
import { refuseUnserved } from '../sites/change.ts'
import { addJob, announce, findJob, listJobs, removeJob } from './jobs.ts'

export function cronRoutes(api: Api): void {
  const { context } = api
  // The agent is told all of a site's jobs at once, so one change at a time.
  const lock = createSiteLock()

  route(api, listCronJobs, async ({ scoped: { site } }) => {
    // What was never made, or is going, is not known to the agent.
    if (site.facts === null || site.state === 'deleting') return { jobs: [] }
    return { jobs: await lock.hold(site.id, () => listJobs(context, site)) }
  })

  route(api, createCronJob, async ({ scoped: { site }, body }) => {
    refuseUnserved(site)
    const job = { id: newId('c'), ...body }
    return await lock.hold(site.id, () => addJob(context, site, job))
  })

  route(api, deleteCronJob, async ({ scoped: { cron } }) => {
    if (cron.isBuiltIn) {
      throw new AppError('conflict', "WordPress's own tasks are run by the server; they cannot be deleted.")
    }
    refuseUnserved(cron.site)
    await lock.hold(cron.site.id, () => removeJob(context, cron.site, cron.id))
    return undefined
  })

  route(api, runCronJob, async ({ scoped: { cron } }) => {
    refuseUnserved(cron.site)
    return await lock.hold(cron.site.id, async () => {
      const { started } = await context.agent.call(cronRun, { id: cron.site.id, job: cron.id })
      if (!started)
        throw new AppError('conflict', 'This cron job is running already; wait until it has ended.')
      announce(context.events, cron.site)
      return await findJob(context, cron.site, cron.id)
    })
  })
}
