// The scheduler. The agent's own clock starts jobs, so they go on when the API is down; what came due while the agent
// was down is made up for once.
import { AppError } from '@reeve/contract/errors.ts'
import type { CronJobSpec, cronState } from '@reeve/contract/cron.ts'
import { nextRun, nextRuns, parseSchedule } from '@reeve/contract/cron-schedule.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { z } from 'zod'
import { describeError, type Log } from '../log.ts'
import type { RegisteredSite } from '../registry.ts'
import { builtInJob, builtInJobId, hasBuiltInJob, runDueEvents, sitesWithDueEvents } from './due-events.ts'
import { createRunQueue, type QueueEntry } from './queue.ts'
import { type JobHost, runJob } from './run-job.ts'
import type { CronStore, EndedRun, StoredJob } from './store.ts'

export interface CronHost extends JobHost {
  store: CronStore
  httpsPort: number
  log: Log
  /** The clock; tests have their own. */
  now?: () => Date
}

type State = z.input<typeof cronState.output>['jobs']

export interface Cron extends AsyncDisposable {
  /** Makes these the site's jobs and ends the runs of others. */
  apply(site: RegisteredSite, jobs: readonly CronJobSpec[]): Promise<void>
  runNow(site: RegisteredSite, jobId: string): boolean
  stateOf(site: RegisteredSite): State
  /** Ends what runs of a site that is being removed; nothing of it starts any more. */
  removeSite(id: SiteId): Promise<void>
  /** Starts the clock. */
  start(): void
  /** What the clock does every minute. */
  tick(): Promise<void>
}

/** Runs of people's jobs and of WordPress's tasks have limits of their own: neither keeps the other waiting. */
const limits = { jobs: { atOnce: 8, atOnceOfSite: 2 }, dueEvents: { atOnce: 2, atOnceOfSite: 1 } }

/** A clock that was set back by less than this is waited for, so that no run comes twice; after that it is believed. */
const waitedForMs = 3 * 3600 * 1000

export function createCron(host: CronHost): Cron {
  const { store, registry, log } = host
  const now = host.now ?? (() => new Date())
  const jobs = createRunQueue(limits.jobs)
  const dueEvents = createRunQueue(limits.dueEvents)
  let clock: NodeJS.Timeout | undefined
  let ticking: Promise<void> = Promise.resolve()
  let isStopped = false

  const remaining = (id: SiteId): RegisteredSite | undefined => {
    const site = registry.findSite(id)
    return site?.isBeingRemoved ? undefined : site
  }
  const entry = (
    site: RegisteredSite,
    job: string,
    run: (signal: AbortSignal) => Promise<EndedRun>,
  ): QueueEntry => ({
    key: `${site.spec.id} ${job}`,
    siteId: site.spec.id,
    run: async (signal) => {
      if (!remaining(site.spec.id)) return
      store.beginRun(site.spec.id, job, now())
      const ended = await run(signal)
      store.endRun(site.spec.id, job, now(), ended)
      log('cron job', { site: site.spec.domain, job, outcome: ended.outcome })
    },
  })
  const jobEntry = (site: RegisteredSite, job: CronJobSpec) =>
    entry(site, job.id, (signal) => runJob(host, site, job, signal))
  const builtInEntry = (site: RegisteredSite) =>
    entry(site, builtInJobId(site.spec.id), (signal) => runDueEvents(host, site, signal))

  const isDue = (job: StoredJob, from: Date, to: Date) => {
    if (!job.enabled) return false
    const next = nextOf(job.schedule, from, 1)[0]
    return next !== undefined && next <= to
  }
  const startDue = (from: Date, to: Date) => {
    for (const job of store.listJobs()) {
      const site = isDue(job, from, to) ? remaining(job.siteId) : undefined
      if (site) jobs.add(jobEntry(site, job))
    }
  }
  const tick = async () => {
    const at = now()
    const from = store.seenUntil() ?? at
    const isSetBack = from > at && from.getTime() - at.getTime() < waitedForMs
    if (!isSetBack) {
      store.setSeenUntil(at)
      startDue(from > at ? at : from, at)
    }
    for (const site of await sitesWithDueEvents(host.paths, registry.listSites(), at))
      dueEvents.add(builtInEntry(site))
  }
  const tickLogged = () => {
    ticking = tick().catch((error: unknown) => log('cron failed', { error: describeError(error) }))
    void ticking.then(wait)
  }
  const wait = () => {
    if (!isStopped) clock = setTimeout(tickLogged, msToNextMinute(now()))
  }

  return {
    async apply(site, wanted) {
      const { id } = site.spec
      const kept = new Set(wanted.map((job) => `${id} ${job.id}`))
      store.replaceJobs(id, wanted, [builtInJobId(id)])
      await jobs.end(({ key, siteId }) => siteId === id && !kept.has(key))
    },
    runNow(site, jobId) {
      if (hasBuiltInJob(site) && jobId === builtInJobId(site.spec.id))
        return isStarted(dueEvents.start(builtInEntry(site)))
      const job = store.jobsOf(site.spec.id).find(({ id }) => id === jobId)
      if (!job) throw new AppError('not_found', `${site.spec.domain} has no cron job ${jobId}.`)
      return isStarted(jobs.start(jobEntry(site, job)))
    },
    stateOf: (site) => [
      ...(hasBuiltInJob(site) ? [builtInState(store, site, now())] : []),
      ...store.jobsOf(site.spec.id).map((job) => ({
        id: job.id,
        schedule: job.schedule,
        command: job.command,
        built_in: false,
        last_run: store.runOf(site.spec.id, job.id),
        next_runs: job.enabled ? nextOf(job.schedule, now(), 3).map((time) => time.toISOString()) : [],
      })),
    ],
    async removeSite(id) {
      await Promise.all([jobs, dueEvents].map((queue) => queue.end(({ siteId }) => siteId === id)))
      store.replaceJobs(id, [], [])
    },
    start() {
      store.interruptRuns(now())
      tickLogged()
    },
    tick,
    async [Symbol.asyncDispose]() {
      isStopped = true
      clearTimeout(clock)
      await ticking
      clearTimeout(clock)
      await Promise.all([jobs[Symbol.asyncDispose](), dueEvents[Symbol.asyncDispose]()])
    },
  }
}

function builtInState(store: CronStore, { spec }: RegisteredSite, now: Date): State[number] {
  const id = builtInJobId(spec.id)
  return {
    id,
    schedule: builtInJob.schedule,
    command: builtInJob.command,
    built_in: true,
    last_run: store.runOf(spec.id, id),
    next_runs: nextOf(builtInJob.schedule, now, 3).map((time) => time.toISOString()),
  }
}

function isStarted(outcome: 'started' | 'running' | 'full'): boolean {
  if (outcome !== 'full') return outcome === 'started'
  throw new AppError(
    'conflict',
    'As many cron jobs as this server allows run already; try again when one has ended.',
  )
}

function nextOf(schedule: string, after: Date, count: number): Date[] {
  const parsed = parseSchedule(schedule)
  if ('problem' in parsed) return []
  return count === 1
    ? [nextRun(parsed.schedule, after) ?? []].flat()
    : nextRuns(parsed.schedule, after, count)
}

/** A little after the minute has begun, by whatever a timer may be early. */
const msToNextMinute = (now: Date): number => 60_000 - (now.getTime() % 60_000) + 20
