// A private nginx and PHP-FPM below a temporary directory, with the configuration the product renders.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Domain, PhpVersion, SiteId } from '@reeve/contract/primitives.ts'
import type { SiteType } from '@reeve/contract/sites.ts'
import { type Paths, pathsBelow } from '../../agent/src/paths.ts'
import { placeholderSocket, renderFpm, renderFpmIni } from '../../agent/src/php/render-fpm.ts'
import { defaultPhpLimits, renderPool, requestTimeoutS } from '../../agent/src/php/render-pool.ts'
import { startTemporary } from '../../agent/src/services/temporary.ts'
import { renderGeneration, renderNginx, renderReeveConf } from '../../agent/src/web-server/render-nginx.ts'
import { plainSettings } from '../../agent/src/web-server/render-settings.ts'
import { renderVhost, type VhostInput } from '../../agent/src/web-server/render-vhost.ts'
import { freePort, until } from './visit.ts'

/** System users that every Debian has, with groups of their names: they stand in for the users of sites. */
const siteUsers = [
  { name: 'games', uid: 5, gid: 60 },
  { name: 'man', uid: 6, gid: 12 },
  { name: 'news', uid: 9, gid: 9 },
  { name: 'uucp', uid: 10, gid: 10 },
  { name: 'backup', uid: 34, gid: 34 },
  { name: 'list', uid: 38, gid: 38 },
  { name: 'irc', uid: 39, gid: 39 },
] as const

export type SiteUser = (typeof siteUsers)[number]

export interface PrivateSite {
  domain: Domain
  user: SiteUser
  input: VhostInput
  home: string
  /** The release that `current` points at. */
  release: string
}

export interface PrivateServer extends AsyncDisposable {
  paths: Paths
  ports: { http: number; https: number }
  addSite(type: SiteType, overrides?: Partial<VhostInput>): PrivateSite
  /** Text of the site's vhost passes through here before nginx sees it. */
  writeVhost(site: PrivateSite, edit?: (text: string) => string): void
  start(): Promise<void>
  stopPhp(): Promise<void>
  workerPids(): number[]
}

const features = { version: '1.22.1', http2Directive: false, http3: false, purgeModule: false }
export const purgeModule = '/usr/lib/nginx/modules/ngx_http_cache_purge_module.so'
const phpVersion = PhpVersion.parse('8.2')

/** `modules` are absolute paths; with the purge module the sites' vhosts make use of it. */
export async function createPrivateServer(modules: readonly string[] = []): Promise<PrivateServer> {
  const root = mkdtempSync('/var/tmp/reeve-private-')
  chmodSync(root, 0o755)
  const paths = pathsBelow(root)
  const ports = { http: await freePort(), https: await freePort(), ipv6: false }
  prepare(paths, ports, modules)
  const running: AsyncDisposable[] = []
  let php: AsyncDisposable | undefined
  let siteCount = 0
  const server: PrivateServer = {
    paths,
    ports,
    addSite(type, overrides) {
      const nginx = { ...features, purgeModule: modules.includes(purgeModule) }
      const site = makeSite(paths, ports, type, siteCount++, { nginx, ...overrides })
      server.writeVhost(site)
      return site
    },
    writeVhost(site, edit = (text) => text) {
      writeFileSync(paths.vhost(site.domain), edit(renderVhost(paths, site.input)))
    },
    async start() {
      php = startTemporary('/usr/sbin/php-fpm8.2', ['-y', paths.fpmConf(phpVersion), '-F'], {
        PHP_INI_SCAN_DIR: `/etc/php/8.2/fpm/conf.d:${join(paths.fpmPools(phpVersion), '..')}`,
      })
      const nginx = startTemporary('/usr/sbin/nginx', ['-c', paths.nginxConf, '-g', 'daemon off;'])
      running.push(nginx)
      const isUp = () =>
        existsSync(placeholderSocket(paths, phpVersion)) &&
        existsSync(paths.nginxPid) &&
        server.workerPids().length > 0
      if (!(await until(() => nginx.hasEnded() || isUp())) || nginx.hasEnded()) {
        const problem = `nginx did not start: ${nginx.errors()} ${readFileSync(paths.nginxErrorLog, 'utf8')}`
        await server[Symbol.asyncDispose]()
        throw new Error(problem)
      }
    },
    async stopPhp() {
      await php?.[Symbol.asyncDispose]()
    },
    workerPids: () => workersOf(Number(readFileSync(paths.nginxPid, 'utf8'))),
    async [Symbol.asyncDispose]() {
      for (const process of running) await process[Symbol.asyncDispose]()
      await php?.[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
  return server
}

function prepare(paths: Paths, ports: VhostInput['ports'], modules: readonly string[]): void {
  const directories = [
    ...[
      paths.nginxConfD,
      paths.nginxSites,
      paths.nginxTemp,
      paths.pageCaches,
      paths.tls,
      paths.acmeChallenges,
    ],
    ...[paths.fpmPools(phpVersion), paths.fpmSockets, paths.logs, paths.run],
    ...[paths.nginxErrorLog, paths.nginxPid, paths.nginxStatusSocket].map((file) => dirname(file)),
  ]
  for (const directory of directories) mkdirSync(directory, { recursive: true })
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...[
        '-subj',
        '/CN=private',
        '-keyout',
        join(paths.tls, 'key.pem'),
        '-out',
        join(paths.tls, 'chain.pem'),
      ],
    ],
    { stdio: 'ignore' },
  )
  const openFiles = Number(
    /Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1],
  )
  writeFileSync(
    paths.nginxConf,
    renderNginx(paths, { modules, open_files: openFiles, mimeTypes: '/etc/nginx/mime.types' }),
  )
  writeFileSync(
    join(paths.nginxConfD, 'reeve.conf'),
    renderReeveConf(paths, { ports, nginx: features, resolvers: [] }),
  )
  writeFileSync(join(paths.nginxConfD, 'reeve-generation.conf'), renderGeneration(paths, 1))
  writeFileSync(paths.fpmConf(phpVersion), renderFpm(paths, phpVersion))
  writeFileSync(
    join(paths.fpmPools(phpVersion), '../99-reeve.ini'),
    renderFpmIni(paths, { version: phpVersion, isOpcacheSeeded: false }),
  )
}

function makeSite(
  paths: Paths,
  ports: VhostInput['ports'],
  type: SiteType,
  number: number,
  overrides: Partial<VhostInput> = {},
): PrivateSite {
  const user = siteUsers[number]
  if (!user) throw new Error(`A private server has at most ${siteUsers.length} sites.`)
  const domain = `${type}-${number}.example.test` as Domain // a literal in its parsed form
  const input: VhostInput = {
    ...plainSettings,
    ...{
      id: SiteId.parse(`saaaaaaaaaaaaaa${'abcdefghij'[number]}`),
      domain,
      aliases: [],
      type,
      profile: 'balanced',
    },
    ...{
      cache: { enabled: true, ttl_s: 600, bypass_paths: [] },
      stale_s: 3600,
      user: user.name,
      php_socket: paths.fpmSocket(user.name, phpVersion),
      proxy_upstream: null,
    },
    certificate: { chain: join(paths.tls, 'chain.pem'), key: join(paths.tls, 'key.pem') },
    ...{ ports, nginx: features, api_port: 5252 },
    limits: { upload_max_mb: 64, request_timeout_s: requestTimeoutS(defaultPhpLimits) },
    ...overrides,
  }
  const home = paths.site(domain)
  const release = join(home, 'releases/a')
  mkdirSync(release, { recursive: true })
  mkdirSync(paths.siteLogs(domain), { recursive: true })
  symlinkSync('releases/a', join(home, 'current'))
  for (const owned of ['logs', 'tmp', 'tmp/php', 'tmp/uploads', 'tmp/sessions']) {
    mkdirSync(join(home, owned))
    chownSync(join(home, owned), user.uid, user.gid)
  }
  writeFileSync(
    paths.fpmPool(phpVersion, user.name),
    renderPool(paths, {
      ...{
        domain,
        user: user.name,
        socket: paths.fpmSocket(user.name, phpVersion),
        workers: 4,
        limits: defaultPhpLimits,
      },
    }),
  )
  return { domain, user, input, home, release }
}

function workersOf(master: number): number[] {
  if (master === 0) return [] // the pid file is made before it is written
  const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim()
  const pids = children === '' ? [] : children.split(' ').map(Number)
  return pids.filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('nginx: worker process'),
  )
}
