// One run of a job: the site's own command in the site's own sandbox, with the network and the sockets that its PHP has.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CronJobSpec } from '@reeve/contract/cron.ts'
import { runAsSite } from '../as-site-user.ts'
import type { Paths } from '../paths.ts'
import type { RegisteredSite, Registry } from '../registry.ts'
import { layoutOf } from '../sites/layout.ts'
import { siteUserOf } from '../sites/user.ts'
import { createOutputTail } from './output.ts'
import { ensurePhpCommand } from './php-command.ts'
import type { EndedRun } from './store.ts'

export interface JobHost {
  paths: Paths
  registry: Registry
}

/** Never throws: whatever happens is how the run ended. */
export async function runJob(
  host: JobHost,
  site: RegisteredSite,
  job: Pick<CronJobSpec, 'command' | 'timeout_s'>,
  signal: AbortSignal,
): Promise<EndedRun> {
  const output = createOutputTail()
  const deadline = AbortSignal.timeout(job.timeout_s * 1000)
  try {
    const { code } = await runCommand(host, site, job, AbortSignal.any([signal, deadline]), output.take)
    return { exit_code: code, outcome: code === 0 ? 'succeeded' : 'failed', output: output.text() }
  } catch (error) {
    const outcome = signal.aborted ? 'interrupted' : deadline.aborted ? 'timed_out' : 'failed'
    const why = outcome === 'failed' ? `${error instanceof Error ? error.message : String(error)}\n` : ''
    return { exit_code: null, outcome, output: output.text() + why }
  }
}

/** A command ends by itself; the run's own deadline is the signal. */
const longerThanAnyRunMs = 7 * 3600 * 1000

const everyExitCode = Array.from({ length: 256 }, (_, code) => code)

function runCommand(
  { paths, registry }: JobHost,
  site: RegisteredSite,
  { command }: Pick<CronJobSpec, 'command'>,
  signal: AbortSignal,
  onOutput: (chunk: Buffer) => void,
) {
  const user = siteUserOf(paths, site)
  const layout = layoutOf(user.home)
  const version = site.spec.php_version
  const php = version === null ? undefined : ensurePhpCommand({ paths, registry }, version)
  const scratch = join(layout.tmp, 'php')
  // The one shell that the agent starts, and not with the agent's rights: the line is the site's own.
  return runAsSite(user, 'nice', ['--adjustment=10', '/bin/sh', '-c', command], {
    timeoutMs: longerThanAnyRunMs,
    signal,
    onOutput,
    hasNetwork: true,
    cwd: existsSync(layout.current) ? layout.current : layout.home,
    accept: everyExitCode,
    env: { HOME: scratch, TMPDIR: scratch, USER: user.user, LOGNAME: user.user, ...php?.env },
    readOnly: [paths.cores, paths.cmsParts, ...(php === undefined ? [] : [php.folder])],
    writable: [paths.mariadbSocket, paths.redisSocket].filter((path) => existsSync(path)),
  })
}
