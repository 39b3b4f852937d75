// A WordPress site as the agent makes one, without nginx and FPM: private MariaDB, the real core, a release.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import type { SiteUser } from '../../agent/src/as-site-user.ts'
import { type Core, ensureCore } from '../../agent/src/cms/core.ts'
import { parseCoreSource } from '../../agent/src/cms/core-source.ts'
import { installCmsParts } from '../../agent/src/cms/parts.ts'
import { buildRelease } from '../../agent/src/cms/release.ts'
import { type RedisAccess, renderWpConfig } from '../../agent/src/cms/render-wp-config.ts'
import { ensureTemplate } from '../../agent/src/cms/template.ts'
import { instantiateTemplate } from '../../agent/src/cms/template-sql.ts'
import { ensureDatabase, sqlAsRoot, sqlAsSite } from '../../agent/src/database/mariadb.ts'
import { createKeyedLock } from '../../agent/src/keyed-lock.ts'
import { type Paths, pathsBelow } from '../../agent/src/paths.ts'
import { privateRoot, startMariadb } from './private-services.ts'
import { wordpressSource } from './wordpress-source.ts'

export interface PrivateHost extends AsyncDisposable {
  paths: Paths
  core: Core
  /** SQL template of the core. */
  template: string
  lock: ReturnType<typeof createKeyedLock>
}

/** MariaDB, the CMS parts, a core and its template below a directory of their own. */
export async function openPrivateHost(): Promise<PrivateHost> {
  await using stack = new AsyncDisposableStack()
  const root = stack.use(privateRoot())
  const paths = pathsBelow(root.path)
  for (const path of [paths.agentState, paths.sites]) mkdirSync(path, { recursive: true })
  stack.use(await startMariadb(root.path, paths.mariadbSocket))
  installCmsParts(join(import.meta.dirname, '../../wordpress'), paths.cmsParts)
  const lock = createKeyedLock()
  const core = await ensureCore({ paths, source: parseCoreSource(await wordpressSource()), lock })
  const template = readFileSync(await ensureTemplate({ paths, lock }, core), 'utf8')
  const owned = stack.move()
  return { paths, core, template, lock, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export interface PrivateSite {
  user: SiteUser
  url: URL
  release: string
  shared: string
  database: string
}

export interface SiteOptions {
  number: number
  url?: string
  title?: string
  redis?: RedisAccess
  adminUser?: string
  adminEmail?: string
}

/** Password of every private site's administrator. */
export const adminPassword = 'correct horse battery staple'

export async function createPrivateSite(host: PrivateHost, options: SiteOptions): Promise<PrivateSite> {
  const { paths, core, template } = host
  const { number } = options
  const url = new URL(options.url ?? `https://site-${number}.example.com:8443`)
  const home = join(paths.sites, url.hostname)
  const id = 20_000 + number
  const user: SiteUser = {
    domain: Domain.parse(url.hostname),
    user: `site-${number}`,
    uid: id,
    gid: id,
    home,
  }
  const shared = join(home, 'shared')
  for (const path of [home, join(home, 'releases'), shared, join(shared, 'uploads')]) mkdirSync(path)
  chownSync(join(shared, 'uploads'), id, id)
  const database = { name: `site_${number}`, password: 'database password' }
  await ensureDatabase(paths, database)
  const config = renderWpConfig({
    database: { ...database, user: database.name, socket: paths.mariadbSocket },
    salts: Array.from({ length: 8 }, (_, index) => `salt ${index} of site ${number}`),
    tablePrefix: 'wp_',
    url: url.origin,
    redis: options.redis ?? null,
    connectorToken: 'token',
    purgeMark: paths.purgeMark(user.domain),
  })
  const configPath = join(shared, 'wp-config.php')
  writeFileSync(configPath, config)
  chownSync(configPath, 0, id)
  chmodSync(configPath, 0o640)
  const release = join(home, 'releases/1')
  await buildRelease({
    core,
    releaseDir: release,
    sharedDir: shared,
    site: user,
    cmsParts: paths.cmsParts,
    objectCache: options.redis !== undefined,
    plugins: [],
  })
  const values = {
    url: url.origin,
    title: options.title ?? `Site ${number}`,
    adminUser: options.adminUser ?? 'admin',
    adminEmail: options.adminEmail ?? 'admin@example.com',
    passwordHash: wordpressHash(core),
    now: new Date(),
  }
  await sqlAsSite(paths, database, instantiateTemplate(template, values))
  return { user, url, release, shared, database: database.name }
}

/** The portable hash of WordPress before 6.8, made by the core's own class. */
function wordpressHash(core: Core): string {
  const script = `require $argv[1]; echo ( new PasswordHash( 8, true ) )->HashPassword( $argv[2] );`
  const file = join(core.dir, 'wp-includes/class-phpass.php')
  return execFileSync('php', ['-r', script, '--', file, adminPassword], { encoding: 'utf8' })
}

export async function readRows(host: PrivateHost, site: PrivateSite, query: string): Promise<string[][]> {
  const text = await sqlAsRoot(host.paths, `USE \`${site.database}\`; ${query}`)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
}
