// PHP-FPM as the agent sees it: one master a version, one pool a site, and no pool reaches the master before
// a throwaway master has run it.
import { existsSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import { type ConfigChange, createConfigBatch } from '../config-batch.ts'
import { hostUsers } from '../host-accounts.ts'
import { markLog } from '../log-mark.ts'
import type { Paths } from '../paths.ts'
import { waitUntil } from '../processes.ts'
import type { Service } from '../services/service.ts'
import { startTemporary } from '../services/temporary.ts'
import { pingPool } from './fastcgi.ts'
import { type PoolInput, renderPool } from './render-pool.ts'
import { fpmBinary } from './versions.ts'

export interface PhpService {
  readonly version: PhpVersion
  /** Writes, reloads, and proves that the master lived through it. */
  change(change: ConfigChange): Promise<boolean>
  reload(): Promise<void>
}

export function createPhpService(paths: Paths, version: PhpVersion, service: Service): PhpService {
  const reload = async () => {
    const master = service.mainPid()
    if (master === undefined) {
      await service.ensureRunning()
      return
    }
    refuseMissingUsers(paths, version)
    const appended = markLog(paths.fpmLog(version))
    service.signal('SIGUSR2')
    // The master lets running requests end, then executes itself anew: same pid, inherited sockets, and a line
    // in its log once it serves the new configuration. Until that line it may still start workers of old pools.
    const isDead = () => service.mainPid() !== master
    const isReady = () => appended().includes('ready to handle connections')
    const hasEnded = await waitUntil(() => isDead() || isReady(), 30_000)
    if (!hasEnded || isDead()) {
      throw new AppError(
        'refused',
        `PHP-FPM ${version} did not take the new configuration: ${errorIn(appended())}`,
      )
    }
  }
  return { version, change: createConfigBatch(reload), reload }
}

/** A pool whose user somebody has removed ends the master at a reload, and with it the pools of all sites. */
export function refuseMissingUsers(paths: Paths, version: PhpVersion): void {
  const users = new Set(hostUsers().map(({ name }) => name))
  const pools = readdirSync(paths.fpmPools(version)).filter((name) => /^[^.].*\.conf$/.test(name))
  const missing = pools.map((name) => basename(name, '.conf')).find((user) => !users.has(user))
  if (missing === undefined) return
  throw new AppError(
    'refused',
    `The system user ${missing} is gone, and PHP-FPM ${version} would not start again without it; save the settings of its site once more, or delete that site.`,
  )
}

function errorIn(text: string): string {
  const line = text.split('\n').find((entry) => /(ERROR|ALERT):/.test(entry))
  return line?.replace(/^\[[^\]]*\] /, '') ?? 'it gave no reason.'
}

/** Waits until the pool answers; false when it does not in time. */
export const isPoolServed = (socket: string): Promise<boolean> => waitUntil(() => pingPool(socket), 5000)

/** Configuration and sockets of throwaway masters. */
export const proofDirectory = (paths: Paths): string => join(paths.run, 'pool-proofs')

/**
 * `php-fpm -t` passes pools that kill the master on reload. So the pool runs for a moment under a master of
 * its own, on a socket of its own, and must answer there first.
 */
export async function provePool(paths: Paths, pool: PoolInput, version: PhpVersion): Promise<void> {
  await provePoolText(paths, { user: pool.user, text: renderPool(paths, pool) }, version)
}

/** The same for a pool that holds an edit by hand. */
export async function provePoolText(
  paths: Paths,
  pool: { user: string; text: string },
  version: PhpVersion,
): Promise<void> {
  const directory = proofDirectory(paths)
  mkdirSync(directory, { recursive: true, mode: 0o755 })
  const [socket, config, pid, errors] = ['sock', 'conf', 'pid', 'log'].map((end) =>
    join(directory, `${pool.user}.${end}`),
  ) as [string, string, string, string] // map keeps the length
  const removeAll = () => {
    for (const path of [socket, config, pid, errors]) if (existsSync(path)) unlinkSync(path)
  }
  removeAll()
  const global = `[global]\ndaemonize = no\nerror_log = ${errors}\npid = ${pid}\n`
  const text = pool.text.replace(/^listen[ \t]*=.*$/m, () => `listen = ${socket}`)
  if (text === pool.text) throw new AppError('refused', `The pool of ${pool.user} has no line "listen".`)
  writeFileSync(config, `${global}\n${text}`, { mode: 0o600 })
  try {
    await using master = startTemporary(
      fpmBinary(version),
      fpmArguments(config),
      fpmEnvironment(paths, version),
    )
    const answered = await waitUntil(async () => master.hasEnded() || (await pingPool(socket)), 10_000)
    if (answered && !master.hasEnded()) return
    const reason = existsSync(errors) ? readFileSync(errors, 'utf8') : master.errors()
    throw new AppError('refused', `PHP-FPM ${version} refused the pool of ${pool.user}: ${reason.trim()}`)
  } finally {
    removeAll()
  }
}

export const fpmArguments = (config: string): string[] => ['--fpm-config', config, '--nodaemonize']

/** Where a master finds its settings: the distribution's, then ours. */
export const fpmEnvironment = (paths: Paths, version: PhpVersion): Record<string, string> => ({
  PHP_INI_SCAN_DIR: `/etc/php/${version}/fpm/conf.d:${dirname(paths.fpmIni(version))}`,
})
