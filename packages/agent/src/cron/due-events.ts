// WordPress's own tasks. Which sites have one due is asked with one database client for all; WordPress is loaded only
// where the answer is yes.
import { type RegisteredSite } from '../registry.ts'
import { isCms } from '@reeve/contract/sites.ts'
import { runCms } from '../cms/runner.ts'
import { databaseName, tryEachAsRoot } from '../database/mariadb.ts'
import type { Paths } from '../paths.ts'
import { layoutOf } from '../sites/layout.ts'
import { siteUserOf } from '../sites/user.ts'
import type { EndedRun } from './store.ts'

/** The built-in job of a site has the site's id with another first letter, so that nobody has to keep it. */
export const builtInJobId = (siteId: string): string => `c${siteId.slice(1)}`

export const builtInJob = {
  schedule: '* * * * *',
  command: "WordPress's own due tasks",
  timeoutS: 300,
} as const

export const hasBuiltInJob = (site: RegisteredSite): boolean => isCms(site.spec.type) && site.isInstalled

/** Those of the sites in which WordPress has something to do now. */
export async function sitesWithDueEvents(
  paths: Paths,
  sites: readonly RegisteredSite[],
  now: Date,
): Promise<RegisteredSite[]> {
  const asked = sites.filter(hasBuiltInJob)
  if (asked.length === 0) return []
  // WordPress keeps the list sorted by time, so its first key is the next one. A site that locks its table is waited
  // for one second; one whose table is gone has nothing due.
  const statements = asked.map(
    ({ number }) =>
      `SELECT ${number}, LEFT(option_value, 60) FROM \`${databaseName(number)}\`.wp_options WHERE option_name = 'cron';`,
  )
  const limits = 'SET SESSION lock_wait_timeout = 1, max_statement_time = 1, sql_mode = "";'
  const answer = await tryEachAsRoot(paths, [limits, ...statements])
  const due = new Set(answer.split('\n').flatMap((line) => dueNumber(line, now)))
  return asked.filter(({ number }) => due.has(number))
}

/** A line is the site's number and the beginning of PHP's serialized array: `a:9:{i:1700000000;a:1:…`. */
export function dueNumber(line: string, now: Date): number[] {
  const match = /^(\d+)\ta:\d+:\{i:(\d{1,12});/.exec(line)
  if (!match) return []
  return Number(match[2]) * 1000 <= now.getTime() ? [Number(match[1])] : []
}

interface Place {
  paths: Paths
  httpsPort: number
}

/** Never throws: whatever happens is how the run ended. */
export async function runDueEvents(
  { paths, httpsPort }: Place,
  site: RegisteredSite,
  signal: AbortSignal,
): Promise<EndedRun> {
  const user = siteUserOf(paths, site)
  const { domain, php_version } = site.spec
  const deadline = AbortSignal.timeout(builtInJob.timeoutS * 1000)
  try {
    const { events } = await runCms({
      paths,
      site: user,
      release: layoutOf(user.home).current,
      url: new URL(`https://${domain}${httpsPort === 443 ? '' : `:${httpsPort}`}`),
      ...(php_version === null ? {} : { phpVersion: php_version }),
      command: 'run-due-events',
      args: {},
      hasNetwork: true,
      timeoutMs: builtInJob.timeoutS * 1000 + 10_000,
      signal: AbortSignal.any([signal, deadline]),
    })
    const output = events.length === 0 ? 'Nothing was due.\n' : events.map((name) => `${name}\n`).join('')
    return { exit_code: 0, outcome: 'succeeded', output }
  } catch (error) {
    const output = `${error instanceof Error ? error.message : String(error)}\n`
    const outcome = signal.aborted ? 'interrupted' : deadline.aborted ? 'timed_out' : 'failed'
    return { exit_code: null, outcome, output }
  }
}
