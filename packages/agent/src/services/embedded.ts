// The embedded run's data plane: the distribution's programs with rendered configuration below the root prefix.
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import type { TimerName } from '@reeve/contract/timers.ts'
import type { SftpServer } from '../access/sftp-server.ts'
import { programPath } from '../command.ts'
import type { AgentConfig } from '../config.ts'
import { ensureDataDirectory } from '../database/data-directory.ts'
import { isMariadbReady } from '../database/mariadb.ts'
import { renderMariadb } from '../database/render-mariadb.ts'
import { userOf } from '../host-accounts.ts'
import { describeError, type Log } from '../log.ts'
import { renderLogRotation, renderLogrotateConf } from '../logs/render-logrotate.ts'
import type { ServerLogs } from '../logs/source.ts'
import { writeUnlessEdited } from '../managed-file.ts'
import { aclFile, isRedisReady } from '../object-cache/redis.ts'
import { renderRedis } from '../object-cache/render-redis.ts'
import type { Paths } from '../paths.ts'
import { pingPool } from '../php/fastcgi.ts'
import { fpmArguments, fpmEnvironment } from '../php/fpm.ts'
import { inNamespace } from '../php/fpm-namespace.ts'
import { placeholderSocket, renderFpm, renderFpmIni } from '../php/render-fpm.ts'
import { fpmBinary, installedPhpVersions } from '../php/versions.ts'
import type { Registry } from '../registry.ts'
import { installedModules, nameServers, nginxFeatures, sitePorts } from '../web-server/features.ts'
import { servedGeneration } from '../web-server/nginx.ts'
import type { NginxFeatures, SitePorts } from '../web-server/render-listen.ts'
import { renderGeneration, renderNginx, renderReeveConf } from '../web-server/render-nginx.ts'
import { startClock } from './clock.ts'
import { embeddedSftp } from './embedded-sftp.ts'
import type { Service } from './service.ts'
import { superviseService } from './supervised.ts'
import type { Timer } from './timers.ts'

export interface Services {
  nginx: Service
  fpm: ReadonlyMap<PhpVersion, Service>
  nginxFeatures: NginxFeatures
  ports: SitePorts
  logs: ServerLogs
  sftp: SftpServer
  /** True when an earlier agent's processes were found and taken over. */
  wereRunning: boolean
  /** Has the work of the timers done at its times, until `stop`. */
  keepTime(timers: readonly Timer[], run: (name: TimerName) => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export interface ServiceContext {
  config: AgentConfig
  paths: Paths
  registry: Registry
  redisPassword: string
  log: Log
}

export async function startServices(context: ServiceContext): Promise<Services> {
  const { config, paths } = context
  makeServiceDirectories(paths)
  configureLogRotation(context)
  const features = await nginxFeatures()
  const ports = sitePorts(config.httpPort, config.httpsPort)
  const mariadb = await prepareMariadb(context)
  const redis = prepareRedis(context)
  const fpm = new Map<PhpVersion, Service>()
  for (const version of installedPhpVersions()) fpm.set(version, await prepareFpm(context, version))
  const nginx = prepareNginx(context, features, ports)
  const all = [mariadb, redis, ...fpm.values(), nginx]
  const wereRunning = all.some((service) => service.mainPid() !== undefined)
  // One service that does not start is no reason to refuse everything: it is tried again, and what needs it says so.
  for (const outcome of await Promise.allSettled(all.map((service) => service.ensureRunning()))) {
    if (outcome.status === 'rejected') context.log(describeError(outcome.reason))
  }
  const sftp = embeddedSftp(context)
  let clock: AsyncDisposable | undefined
  return {
    nginx,
    fpm,
    nginxFeatures: features,
    ports,
    logs: serverLogs(paths, [...fpm.keys()]),
    sftp,
    wereRunning,
    keepTime: async (timers, run) => {
      clock = startClock(timers, run)
    },
    stop: async () => {
      await clock?.[Symbol.asyncDispose]()
      await Promise.all([...all, sftp].map((service) => service.stop()))
    },
  }
}

/** One of our own files for a service; nobody else's is ever overwritten. */
function configure(context: ServiceContext, path: string, text: string, renderer: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeUnlessEdited(context.registry, context.log, { path, text, mode: 0o644, renderer, siteId: null })
}

function configureLogRotation(context: ServiceContext): void {
  const { paths } = context
  const patterns = [
    `${paths.logs}/*/*.log`,
    `${paths.logs}/*.log`,
    `${paths.serviceLogs}/*.log`,
    `${dirname(paths.nginxErrorLog)}/*.log`,
  ]
  configure(context, paths.logRotation, renderLogRotation(patterns), 'logs/panel')
  configure(context, paths.logrotateConf, renderLogrotateConf(paths.logrotateFolder), 'logs/main')
}

function serverLogs(paths: Paths, versions: readonly PhpVersion[]): ServerLogs {
  const file = (...files: string[]) => ({ kind: 'file', paths: files }) as const
  return {
    'nginx-error': file(paths.nginxErrorLog),
    'nginx-access': file(paths.nginxAccessLog),
    php: file(...versions.map((version) => paths.fpmLog(version))),
    mariadb: file(paths.mariadbLog),
    redis: file(paths.redisLog),
    api: file(`${paths.logs}/api.log`),
    agent: file(`${paths.logs}/agent.log`),
  }
}

async function prepareMariadb(context: ServiceContext): Promise<Service> {
  const { paths } = context
  configure(context, paths.mariadbConf, renderMariadb(paths, { memory_mb: memoryMb() }), 'database/mariadb')
  await ensureDataDirectory(paths, userOf('mysql'))
  return superviseService({
    ...common(context, 'mariadb', paths.mariadbConf),
    program: '/usr/sbin/mariadbd',
    args: [`--defaults-file=${paths.mariadbConf}`],
    isReady: () => isMariadbReady(paths),
    readyTimeoutMs: 60_000,
  })
}

function prepareRedis(context: ServiceContext): Service {
  const { paths } = context
  configure(context, paths.redisConf, renderRedis(paths, { memory_mb: memoryMb() }), 'object-cache/redis')
  writeUnlessEdited(context.registry, context.log, aclFile(context))
  const { uid, gid } = userOf('redis')
  return superviseService({
    ...common(context, 'redis', paths.redisSocket),
    program: programPath('setpriv'),
    args: [
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      '--',
      '/usr/bin/redis-server',
      paths.redisConf,
    ],
    isReady: () => isRedisReady(context),
    readyTimeoutMs: 20_000,
  })
}

async function prepareFpm(context: ServiceContext, version: PhpVersion): Promise<Service> {
  const { paths } = context
  const ini = renderFpmIni(paths, { version, isOpcacheSeeded: true })
  configure(context, paths.fpmIni(version), ini, 'php/ini')
  configure(context, paths.fpmConf(version), renderFpm(paths, version), 'php/fpm')
  makeClosed(paths.fpmPools(version))
  mkdirSync(paths.opcacheFiles(version), { recursive: true })
  const master = [fpmBinary(version), ...fpmArguments(paths.fpmConf(version))]
  return superviseService({
    ...common(context, `php${version}-fpm`, paths.fpmConf(version)),
    program: '/usr/bin/unshare',
    args: await inNamespace(paths, master),
    env: fpmEnvironment(paths, version),
    isReady: () => pingPool(placeholderSocket(paths, version)),
    readyTimeoutMs: 20_000,
    stopSignal: 'SIGQUIT',
  })
}

/** Sites may not learn from the names in it which others there are. */
export function makeClosed(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o711)
}

function prepareNginx(context: ServiceContext, nginx: NginxFeatures, ports: SitePorts): Service {
  const { paths, registry } = context
  makeClosed(paths.nginxSites)
  const main = {
    modules: installedModules(),
    open_files: openFilesLimit(),
    mimeTypes: '/etc/nginx/mime.types',
  }
  configure(context, paths.nginxConf, renderNginx(paths, main), 'web-server/nginx')
  configure(
    context,
    paths.reeveConf,
    renderReeveConf(paths, { ports, nginx, resolvers: nameServers() }),
    'web-server/reeve',
  )
  const generation = registry.nextOf('nginx generation')
  const generationPath = `${paths.nginxConfD}/reeve-generation.conf`
  configure(context, generationPath, renderGeneration(paths, generation), 'web-server/generation')
  return superviseService({
    ...common(context, 'nginx', paths.nginxConf),
    program: programPath('nginx'),
    args: ['-c', paths.nginxConf, '-g', 'daemon off;'],
    staleSockets: [paths.nginxStatusSocket],
    isReady: async () => (await servedGeneration(paths)) !== undefined,
    readyTimeoutMs: 20_000,
    stopSignal: 'SIGQUIT',
  })
}

function common(context: ServiceContext, name: string, identity: string) {
  const { paths, log } = context
  return {
    name,
    identity,
    log,
    logPath: `${paths.serviceLogs}/${name}.out.log`,
    runDirectory: `${paths.run}/services`,
    stopSignal: 'SIGTERM',
  } as const
}

function makeServiceDirectories(paths: Paths): void {
  const mysql = userOf('mysql')
  const redis = userOf('redis')
  const web = userOf('www-data')
  const owned: [path: string, mode: number, owner?: { uid: number; gid: number }][] = [
    [`${paths.run}/services`, 0o755],
    [dirname(paths.mariadbSocket), 0o755, mysql],
    [paths.mariadbData, 0o700, mysql],
    [dirname(paths.redisSocket), 0o755, redis],
    [paths.redisData, 0o750, redis],
    [dirname(paths.nginxErrorLog), 0o755],
    [dirname(paths.nginxStatusSocket), 0o700],
    [paths.nginxTemp, 0o700, web],
    [paths.pageCaches, 0o711],
    [paths.fpmSockets, 0o755],
    [dirname(paths.redisAcl), 0o755],
  ]
  for (const [path, mode, owner] of owned) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, mode)
    if (owner) chownSync(path, owner.uid, owner.gid)
  }
  for (const [path, owner] of [
    [paths.mariadbLog, mysql],
    [paths.redisLog, redis],
  ] as const) {
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o640))
    chownSync(path, owner.uid, owner.gid)
  }
}

export const memoryMb = (): number => Math.round(totalmem() / 1024 / 1024)

/** Hard limit of open files, which children inherit (proc(5), limits). */
function openFilesLimit(): number {
  const limit = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
  return Number(limit?.[1] ?? 20_000)
}
