// The master of one PHP version: its global file with the pool that lets it run without sites, and its settings.
import { join } from 'node:path'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import type { Paths } from '../paths.ts'
import { pathValue, wordValue } from '../render-values.ts'
import { defaultPhpLimits, limitDirectives } from './render-pool.ts'

/** Socket of the placeholder pool; only root may ask it. */
export const placeholderSocket = (paths: Paths, version: PhpVersion): string =>
  join(paths.fpmSockets, `placeholder-${version}.sock`)

const checked = (version: PhpVersion): PhpVersion => {
  wordValue('PHP version', version, /^[0-9]\.[0-9]{1,2}$/)
  return version
}

/** FPM refuses to start without a pool, so there is one that runs nothing. */
export function renderFpm(paths: Paths, version: PhpVersion): string {
  checked(version)
  return `[global]
pid = ${pathValue('pid path', paths.fpmPid(version))}
error_log = ${pathValue('log path', paths.fpmLog(version))}
log_level = notice
daemonize = no
; With the default of 0 a reload cuts off the requests it finds.
process_control_timeout = 10s
emergency_restart_threshold = 10
emergency_restart_interval = 1m
include = ${pathValue('pool path', paths.fpmPools(version))}/*.conf

[placeholder]
user = nobody
group = nogroup
listen = ${pathValue('socket path', placeholderSocket(paths, version))}
listen.mode = 0600
pm = ondemand
pm.max_children = 1
pm.process_idle_timeout = 10s
ping.path = /reeve-ping
security.limit_extensions = .none
`
}

export interface FpmIniInput {
  version: PhpVersion
  /** Whether `paths.opcacheFiles` has been seeded; PHP does not start with a directory that is missing. */
  isOpcacheSeeded: boolean
}

/** Settings of the master and of all its pools, read after the distribution's. */
export function renderFpmIni(paths: Paths, input: FpmIniInput): string {
  const seeded = input.isOpcacheSeeded
    ? `opcache.file_cache = ${pathValue('opcode cache path', paths.opcacheFiles(checked(input.version)))}\n`
    : ''
  const limits = limitDirectives(defaultPhpLimits).map(({ name, value }) => `${name} = ${value}\n`)
  return `expose_php = off
display_errors = off
; A pool says only which limits of its site are others.
${limits.join('')}; The distribution clears old sessions by a timer that knows its own directory only.
session.gc_probability = 1
session.gc_divisor = 1000
cgi.fix_pathinfo = 0
realpath_cache_size = 4096K
; A script that names the site's \`current\` link itself sees a new release after this many seconds.
realpath_cache_ttl = 10
opcache.enable = 1
opcache.memory_consumption = 128
opcache.interned_strings_buffer = 16
opcache.max_accelerated_files = 20000
opcache.validate_timestamps = 1
opcache.revalidate_freq = 2
opcache.revalidate_path = 1
; The cache is shared by all pools: a script is only served to those who could read its file.
opcache.validate_permission = 1
opcache.restrict_api = /nonexistent
; One memory for all pools, without owners: a site could read and replace what another one keeps in it.
apc.enabled = 0
opcache.jit = off
opcache.jit_buffer_size = 0
${seeded}`
}
