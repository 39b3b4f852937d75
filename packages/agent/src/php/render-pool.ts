// One FPM pool a site: its own user, socket and temporary files, and no process while nobody visits.
import { join } from 'node:path'
import type { Domain } from '@reeve/contract/primitives.ts'
import { PhpLimits } from '@reeve/contract/site-values.ts'
import type { Paths } from '../paths.ts'
import { domainValue, integerValue, pathValue, userValue } from '../render-values.ts'

export const defaultPhpLimits = PhpLimits.parse({})

/** `max_execution_time` does not count waiting; a request that waits longer than this is ended. */
export const requestTimeoutS = (limits: PhpLimits): number => limits.max_execution_s + 240

export interface PoolInput {
  domain: Domain
  /** System user and group of the site, and the pool's name. */
  user: string
  socket: string
  workers: number
  limits: PhpLimits
}

export function renderPool(paths: Paths, input: PoolInput): string {
  const user = userValue('system user', input.user)
  const site = pathValue('site path', paths.site(domainOf(input)))
  const limits = checkLimits(input.limits)
  const tmp = join(site, 'tmp')
  // PHP-FPM reads this one byte at a time at every reload, all sites' in a row: what is its own default or stands
  // in the master's settings is not said again, and no blanks are.
  return `[${user}]
user=${user}
listen=${pathValue('pool socket', input.socket)}
listen.owner=www-data
pm=ondemand
pm.max_children=${integerValue('worker count', input.workers, 1, 1000)}
pm.process_idle_timeout=30s
pm.max_requests=1000
ping.path=/reeve-ping
request_terminate_timeout=${requestTimeoutS(input.limits)}s
security.limit_extensions=.php
env[PATH]=/usr/local/bin:/usr/bin:/bin
env[TMPDIR]=${tmp}/php
php_admin_value[error_log]=${site}/logs/php-error.log
php_admin_flag[log_errors]=on
php_admin_value[upload_tmp_dir]=${tmp}/uploads
php_admin_value[session.save_path]=${tmp}/sessions
${renderLimits(limits)}`
}

/** Those that a site has of its own. */
function renderLimits(limits: PhpLimits): string {
  const usual = new Map(limitDirectives(defaultPhpLimits).map(({ name, value }) => [name, value]))
  return limitDirectives(limits)
    .filter(({ name, value }) => usual.get(name) !== value)
    .map(({ name, value, isFixed }) => `php_${isFixed ? 'admin_' : ''}value[${name}]=${value}\n`)
    .join('')
}

/** `isFixed` where the site itself may not choose otherwise. */
export function limitDirectives(limits: PhpLimits): { name: string; value: string; isFixed: boolean }[] {
  const { memory_limit_mb, max_execution_s, upload_max_mb } = limits
  return [
    { name: 'memory_limit', value: `${memory_limit_mb}M`, isFixed: false },
    { name: 'max_execution_time', value: String(max_execution_s), isFixed: false },
    { name: 'upload_max_filesize', value: `${upload_max_mb}M`, isFixed: true },
    // A form has more than its file.
    { name: 'post_max_size', value: `${upload_max_mb + 1}M`, isFixed: true },
  ]
}

const domainOf = (input: PoolInput): Domain => {
  domainValue('domain', input.domain)
  return input.domain
}

function checkLimits(limits: PhpLimits): PhpLimits {
  integerValue('memory limit', limits.memory_limit_mb, 16, 65_536)
  integerValue('execution time', limits.max_execution_s, 1, 3600)
  integerValue('upload limit', limits.upload_max_mb, 1, 102_400)
  return limits
}
