import * as z from 'zod'
import { parseSchedule } from './cron-schedule.ts'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { SiteId, Timestamp } from './primitives.ts'

export const CronJobId = z.string().regex(/^c[a-z2-7]{15}$/, 'is not a cron job id')
export type CronJobId = z.infer<typeof CronJobId>

/** Five fields of crontab(5) or one of its names, in UTC; parsed to sets of numbers, never handed to a shell. */
export const CronSchedule = z
  .string()
  .max(100)
  .superRefine((text, context) => {
    const parsed = parseSchedule(text)
    if ('problem' in parsed) context.addIssue({ code: 'custom', message: parsed.problem })
  })

/** One command line, run by /bin/sh as the site's user inside the site's sandbox. */
export const CronCommand = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u, 'may not hold control characters or line breaks')

export const CronJobSpec = z.strictObject({
  id: CronJobId,
  schedule: CronSchedule,
  command: CronCommand,
  enabled: z.boolean(),
  /** Ended after this long. */
  timeout_s: z.int().min(10).max(21_600),
})
export type CronJobSpec = z.infer<typeof CronJobSpec>

export const CronRun = z.strictObject({
  started_at: Timestamp,
  finished_at: Timestamp.nullable(),
  /** null while it runs, and when a signal ended it. */
  exit_code: z.int().nullable(),
  /** How it ended. */
  outcome: z.enum(['running', 'succeeded', 'failed', 'timed_out', 'interrupted']),
  /** The last 64 KB of both streams. */
  output: z.string(),
})
export type CronRun = z.infer<typeof CronRun>

export const CronJob = z.strictObject({
  id: CronJobId,
  site_id: SiteId,
  schedule: z.string(),
  command: z.string(),
  enabled: z.boolean(),
  timeout_s: z.number(),
  /** True for WordPress's own tasks, which the panel runs instead of visitors; it cannot be deleted. */
  built_in: z.boolean(),
  last_run: CronRun.nullable(),
  /** The next three times in UTC; empty while disabled. */
  next_runs: z.array(Timestamp),
})
export type CronJob = z.infer<typeof CronJob>

const SiteParams = z.strictObject({ id: SiteId })
const JobParams = z.strictObject({ id: CronJobId })

export const listCronJobs = endpoint({
  name: 'listCronJobs',
  summary: "The site's cron jobs with their last result and next runs",
  method: 'GET',
  path: '/api/sites/{id}/cron',
  role: 'auth',
  scope: 'site',
  params: SiteParams,
  response: z.object({ jobs: z.array(CronJob) }),
})

export const createCronJob = endpoint({
  name: 'createCronJob',
  summary: 'Add a cron job to a site',
  method: 'POST',
  path: '/api/sites/{id}/cron',
  role: 'manage',
  scope: 'site',
  params: SiteParams,
  body: z.strictObject({
    schedule: CronSchedule,
    command: CronCommand,
    enabled: z.boolean().default(true),
    timeout_s: CronJobSpec.shape.timeout_s.default(300),
  }),
  response: CronJob,
  status: 201,
})

export const deleteCronJob = endpoint({
  name: 'deleteCronJob',
  summary: 'Delete a cron job; a run that is under way is ended',
  method: 'DELETE',
  path: '/api/cron/{id}',
  role: 'manage',
  scope: 'cron',
  params: JobParams,
  status: 204,
})

export const runCronJob = endpoint({
  name: 'runCronJob',
  summary: 'Run a cron job now; answers when it has started',
  method: 'POST',
  path: '/api/cron/{id}/run',
  role: 'manage',
  scope: 'cron',
  params: JobParams,
  response: CronJob,
})

export const cronApply = operation({
  name: 'cron.apply',
  summary: "Make these the site's cron jobs",
  input: z.strictObject({ id: SiteId, jobs: z.array(CronJobSpec).max(100) }),
  output: z.strictObject({}),
})

export const cronRun = operation({
  name: 'cron.run',
  summary: 'Start a cron job of a site now, unless it runs already',
  input: z.strictObject({ id: SiteId, job: z.string().max(40) }),
  output: z.strictObject({ started: z.boolean() }),
})

export const cronState = operation({
  name: 'cron.state',
  summary: "Last results and next runs of a site's cron jobs, the built-in one included",
  input: z.strictObject({ id: SiteId }),
  output: z.strictObject({
    jobs: z.array(
      z.strictObject({
        id: z.string(),
        schedule: z.string(),
        command: z.string(),
        built_in: z.boolean(),
        last_run: CronRun.nullable(),
        next_runs: z.array(Timestamp),
      }),
    ),
  }),
})
