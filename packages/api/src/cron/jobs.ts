// The jobs of a site here and at the agent. What is listed here is never less than what the agent runs: a job is stored
// before the agent hears of it, and forgotten after.
import { AppError } from '@reeve/contract/errors.ts'
import { cronApply, type CronJob, type CronJobSpec, cronState } from '@reeve/contract/cron.ts'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { StoredSite } from '../sites/store.ts'
import { cronJobsOf, deleteCronJobRow, insertCronJob } from './store.ts'

const jobsAtMost = 100

type Host = Pick<Context, 'db' | 'agent' | 'events'>
type AgentJob = z.output<typeof cronState.output>['jobs'][number]

export async function listJobs({ db, agent }: Host, site: StoredSite): Promise<CronJob[]> {
  const stored = await cronJobsOf(db, site.id)
  let state = await agent.call(cronState, { id: site.id })
  if (!isSame(stored, state.jobs)) {
    // One of the two processes was ended between storing and telling.
    await agent.call(cronApply, { id: site.id, jobs: stored })
    state = await agent.call(cronState, { id: site.id })
  }
  const known = new Map(state.jobs.map((job) => [job.id, job]))
  return [
    ...state.jobs.filter((job) => job.built_in).map((job) => builtIn(site, job)),
    ...stored.map((job) => shown(site, job, known.get(job.id))),
  ]
}

export async function addJob(
  { db, agent, events }: Host,
  site: StoredSite,
  job: CronJobSpec,
): Promise<CronJob> {
  const before = await cronJobsOf(db, site.id)
  if (before.length >= jobsAtMost) {
    throw new AppError(
      'refused',
      `${site.spec.domain} has ${jobsAtMost} cron jobs already; delete one first.`,
    )
  }
  await insertCronJob(db, site.id, job)
  try {
    await applyJobs({ db, agent }, site)
  } catch (error) {
    // An agent that died may have taken it, so it stays listed, where it can be deleted.
    const isAnswer = !(error instanceof AppError && error.code === 'agent_unavailable')
    if (isAnswer) await deleteCronJobRow(db, job.id)
    throw error
  }
  announce(events, site)
  return await findJob({ db, agent, events }, site, job.id)
}

export async function removeJob({ db, agent, events }: Host, site: StoredSite, id: string): Promise<void> {
  const rest = (await cronJobsOf(db, site.id)).filter((job) => job.id !== id)
  await agent.call(cronApply, { id: site.id, jobs: rest })
  await deleteCronJobRow(db, id)
  announce(events, site)
}

export async function findJob(host: Host, site: StoredSite, id: string): Promise<CronJob> {
  const job = (await listJobs(host, site)).find((candidate) => candidate.id === id)
  if (job) return job
  throw new AppError('conflict', 'The cron job was deleted meanwhile.')
}

export function announce(events: Context['events'], site: StoredSite): void {
  events.publish('invalidate', { keys: [`sites/${site.id}/cron`] }, { siteId: site.id, accountId: null })
}

async function applyJobs({ db, agent }: Omit<Host, 'events'>, site: StoredSite): Promise<void> {
  await agent.call(cronApply, { id: site.id, jobs: await cronJobsOf(db, site.id) })
}

const isSame = (stored: readonly CronJobSpec[], known: readonly AgentJob[]): boolean =>
  stored
    .map(({ id }) => id)
    .sort()
    .join() ===
  known
    .filter((job) => !job.built_in)
    .map(({ id }) => id)
    .sort()
    .join()

const shown = (site: StoredSite, job: CronJobSpec, known: AgentJob | undefined): CronJob => ({
  ...job,
  site_id: site.id,
  built_in: false,
  last_run: known?.last_run ?? null,
  next_runs: known?.next_runs ?? [],
})

const builtIn = (site: StoredSite, job: AgentJob): CronJob => ({
  ...job,
  site_id: site.id,
  enabled: true,
  timeout_s: 300,
})
