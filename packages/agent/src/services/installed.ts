// The installed server's data plane: the distribution's units, with the same rendered configuration as the embedded
// run has, in the places that the distribution's programs read it from.
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Domain, PhpVersion } from '@reeve/contract/primitives.ts'
import { ensureSelfSigned } from '../certificates/self-signed.ts'
import { isMariadbReady } from '../database/mariadb.ts'
import { renderMariadb } from '../database/render-mariadb.ts'
import { userOf } from '../host-accounts.ts'
import { describeError } from '../log.ts'
import { renderLogRotation } from '../logs/render-logrotate.ts'
import type { ServerLogs } from '../logs/source.ts'
import { writeUnlessEdited } from '../managed-file.ts'
import { aclFile, isRedisReady } from '../object-cache/redis.ts'
import { renderRedis } from '../object-cache/render-redis.ts'
import type { Paths } from '../paths.ts'
import { pingPool } from '../php/fastcgi.ts'
import { fpmArguments } from '../php/fpm.ts'
import { inNamespace } from '../php/fpm-namespace.ts'
import { placeholderSocket, renderFpm, renderFpmIni } from '../php/render-fpm.ts'
import { fpmBinary, installedPhpVersions } from '../php/versions.ts'
import { nameServers, nginxFeatures, sitePorts } from '../web-server/features.ts'
import { servedGeneration } from '../web-server/nginx.ts'
import type { NginxFeatures, SitePorts } from '../web-server/render-listen.ts'
import { renderGeneration, renderReeveConf } from '../web-server/render-nginx.ts'
import { makeClosed, memoryMb, type ServiceContext, type Services } from './embedded.ts'
import { installedSftp } from './installed-sftp.ts'
import { renderPanelVhost } from './panel-vhost.ts'
import { writeTimers } from './unit-timers.ts'
import { renderInstalledNginx } from './render-main.ts'
import { type DropInInput, openFiles, renderDropIns } from './render-units.ts'
import type { Service } from './service.ts'
import { isOlderThan, systemctl, systemdService } from './unit.ts'

interface Prepared {
  service: Service
  /** What the program reads when it starts; a newer file means that it must be started anew. */
  files: string[]
}

export async function startInstalledServices(context: ServiceContext): Promise<Services> {
  const { config, paths } = context
  const features = await nginxFeatures()
  const ports = sitePorts(config.httpPort, config.httpsPort)
  const versions = installedPhpVersions()
  setStockConfigurationAside(paths, versions)
  makeDirectories(paths)
  const rotated = [`${paths.logs}/*/*.log`, paths.mariadbLog]
  configure(context, paths.logRotation, renderLogRotation(rotated), 'logs/panel')
  const dropIns = await writeDropIns(context, versions)
  const nginx = await prepareNginx(context, features, ports)
  const fpm = new Map<PhpVersion, Prepared>()
  for (const version of versions) fpm.set(version, prepareFpm(context, version))
  const all = [prepareMariadb(context), prepareRedis(context), ...fpm.values(), nginx]
  const wereRunning = all.some(({ service }) => service.mainPid() !== undefined)
  await systemctl('daemon-reload')
  // One service that does not start is no reason to refuse everything: systemd tries again, and what needs it says so.
  const start = async ({ service, files }: Prepared) => {
    const dropIn = dropIns.get(service.name)
    const isOutdated = await isOlderThan(service.name, dropIn === undefined ? files : [...files, dropIn])
    if (isOutdated) await systemctl('restart', `${service.name}.service`)
    await service.ensureRunning()
  }
  for (const outcome of await Promise.allSettled(all.map(start))) {
    if (outcome.status === 'rejected') context.log(describeError(outcome.reason))
  }
  return {
    nginx: nginx.service,
    fpm: new Map([...fpm].map(([version, { service }]) => [version, service])),
    nginxFeatures: features,
    ports,
    logs: serverLogs(paths, versions),
    sftp: await installedSftp(context),
    wereRunning,
    keepTime: (timers) => writeTimers(context, timers),
    // They are systemd's: sites are served without an agent.
    stop: async () => {},
  }
}

function configure(
  context: ServiceContext,
  path: string,
  text: string,
  renderer: string,
  mode = 0o644,
): string {
  mkdirSync(dirname(path), { recursive: true })
  writeUnlessEdited(context.registry, context.log, { path, text, mode, renderer, siteId: null })
  return path
}

function serverLogs(paths: Paths, versions: readonly PhpVersion[]): ServerLogs {
  const file = (...files: string[]) => ({ kind: 'file', paths: files }) as const
  const journal = (unit: string) => ({ kind: 'journal', unit }) as const
  return {
    'nginx-error': file(paths.nginxErrorLog),
    'nginx-access': file(paths.nginxAccessLog),
    php: file(...versions.map((version) => paths.fpmLog(version))),
    mariadb: file(paths.mariadbLog),
    redis: journal('redis-server'),
    api: journal('reeve-api'),
    agent: journal('reeve-agent'),
  }
}

async function writeDropIns(
  context: ServiceContext,
  versions: readonly PhpVersion[],
): Promise<ReadonlyMap<string, string>> {
  const { paths } = context
  const fpm: DropInInput['fpm'][number][] = []
  for (const version of versions) {
    const master = [fpmBinary(version), ...fpmArguments(paths.fpmConf(version))]
    fpm.push({ version, command: ['/usr/bin/unshare', ...(await inNamespace(paths, master))] })
  }
  const written = new Map<string, string>()
  for (const { unit, text } of renderDropIns(paths, { fpm })) {
    const path = join(paths.systemdUnits, `${unit}.service.d`, 'reeve.conf')
    written.set(unit, configure(context, path, text, 'services/drop-in'))
  }
  return written
}

function prepareMariadb(context: ServiceContext): Prepared {
  const { paths } = context
  const text = renderMariadb(paths, { memory_mb: memoryMb() })
  return {
    service: systemdService({
      unit: 'mariadb',
      isReady: () => isMariadbReady(paths),
      readyTimeoutMs: 60_000,
    }),
    files: [configure(context, paths.mariadbFragment, text, 'database/mariadb')],
  }
}

function prepareRedis(context: ServiceContext): Prepared {
  const { paths } = context
  const text = renderRedis(paths, { memory_mb: memoryMb() })
  const files = [configure(context, paths.redisConf, text, 'object-cache/redis')]
  // Accounts reach a running server by command; the file is for its next start.
  writeUnlessEdited(context.registry, context.log, aclFile(context))
  return {
    service: systemdService({
      unit: 'redis-server',
      isReady: () => isRedisReady(context),
      readyTimeoutMs: 20_000,
    }),
    files,
  }
}

function prepareFpm(context: ServiceContext, version: PhpVersion): Prepared {
  const { paths } = context
  const ini = renderFpmIni(paths, { version, isOpcacheSeeded: true })
  makeClosed(paths.fpmPools(version))
  mkdirSync(paths.opcacheFiles(version), { recursive: true })
  // The distribution gives the folder of all sockets to the web server's user.
  const owner = 'd /run/php 0755 root root - -\n'
  configure(context, join(paths.tmpfiles, `php${version}-fpm.conf`), owner, 'php/tmpfiles')
  return {
    service: systemdService({
      unit: `php${version}-fpm`,
      isReady: () => pingPool(placeholderSocket(paths, version)),
      readyTimeoutMs: 20_000,
    }),
    files: [
      configure(context, paths.fpmIni(version), ini, 'php/ini'),
      configure(context, paths.fpmConf(version), renderFpm(paths, version), 'php/fpm'),
    ],
  }
}

async function prepareNginx(
  context: ServiceContext,
  nginx: NginxFeatures,
  ports: SitePorts,
): Promise<Prepared> {
  const { paths, registry, config } = context
  makeClosed(paths.nginxSites)
  configure(context, paths.nginxConf, renderInstalledNginx(paths, openFilesLimit()), 'web-server/nginx')
  const reeveConf = renderReeveConf(paths, { ports, nginx, resolvers: nameServers() })
  configure(context, paths.reeveConf, reeveConf, 'web-server/reeve')
  // nginx starts before the agent does, and anybody who can open the socket can purge pages.
  const statusDirectory = `d ${dirname(paths.nginxStatusSocket)} 0700 root root - -\n`
  configure(context, join(paths.tmpfiles, 'reeve-nginx.conf'), statusDirectory, 'web-server/tmpfiles')
  const generation = renderGeneration(paths, registry.nextOf('nginx generation'))
  configure(context, `${paths.nginxConfD}/reeve-generation.conf`, generation, 'web-server/generation')
  if (config.panel) {
    // The configuration reader has checked it by the rules of a domain.
    const name = config.panel.domain as Domain
    const certificate = await ensureSelfSigned(paths.panelTls, [name])
    const acmeChallenges = paths.acmeChallenges
    const text = renderPanelVhost({ panel: config.panel, ports, nginx, certificate, acmeChallenges })
    configure(context, paths.panelVhost, text, 'web-server/panel', 0o600)
  }
  return {
    service: systemdService({
      unit: 'nginx',
      isReady: async () => (await servedGeneration(paths)) !== undefined,
      readyTimeoutMs: 20_000,
    }),
    // Its configuration is reloaded, not started anew.
    files: [],
  }
}

/** The stock site claims to be the default one, and the stock pool runs PHP as the web server's user. */
function setStockConfigurationAside(paths: Paths, versions: readonly PhpVersion[]): void {
  const stockSite = join(paths.nginxSites, 'default')
  // A link to sites-available, where the file stays.
  if (existsSync(stockSite)) unlinkSync(stockSite)
  for (const version of versions) {
    const stockPool = join(paths.fpmPools(version), 'www.conf')
    if (existsSync(stockPool)) renameSync(stockPool, `${stockPool}.distribution`)
  }
}

/** What the unit asks for, unless the machine itself allows less, as a container may (limits of the first process). */
function openFilesLimit(): number {
  const limit = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/1/limits', 'utf8'))
  return Math.min(openFiles, Number(limit?.[1] ?? openFiles))
}

function makeDirectories(paths: Paths): void {
  mkdirSync(paths.pageCaches, { recursive: true })
  chmodSync(paths.pageCaches, 0o711)
  mkdirSync(dirname(paths.nginxStatusSocket), { recursive: true })
  chmodSync(dirname(paths.nginxStatusSocket), 0o700)
  chownSync(paths.fpmSockets, 0, 0)
  const { uid, gid } = userOf('mysql')
  if (!existsSync(paths.mariadbLog)) closeSync(openSync(paths.mariadbLog, 'a', 0o640))
  chownSync(paths.mariadbLog, uid, gid)
  // The distribution lets everybody list it, and databases are named after sites.
  if (existsSync(paths.mariadbData)) chmodSync(paths.mariadbData, 0o700)
}
