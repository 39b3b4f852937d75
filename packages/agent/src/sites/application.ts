// Puts the application of a site's type into its first release and database.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '@reeve/contract/errors.ts'
import { isCms } from '@reeve/contract/sites.ts'
import type { SiteUser } from '../as-site-user.ts'
import type { Core } from '../cms/core.ts'
import { configuredCore } from '../cms/prepare.ts'
import { buildRelease } from '../cms/release.ts'
import { runCms } from '../cms/runner.ts'
import { ensureTemplate } from '../cms/template.ts'
import { instantiateTemplate } from '../cms/template-sql.ts'
import { ensureWooCommerce, woocommercePlugin } from '../cms/woocommerce.ts'
import { convergeCms, siteUrl, wpConfigFile } from '../cms/wp-config.ts'
import { run } from '../command.ts'
import type { AgentContext } from '../context.ts'
import { databaseName, recreateDatabase, sqlAsSite } from '../database/mariadb.ts'
import { failpoint } from '../failpoint.ts'
import { writeManagedFile } from '../managed-file.ts'
import type { SiteWork } from './apply.ts'
import { layoutOf, removeTree, switchRelease } from './layout.ts'
import { installPlaceholder } from './placeholder.ts'

export async function installApplication(context: AgentContext, work: SiteWork): Promise<void> {
  const { type, id } = work.spec
  if (type === 'proxy') return
  if (work.registered.isInstalled) {
    if (isCms(type)) await convergeCms(context, work, work.progress.log)
    return
  }
  if (isCms(type)) await installCms(context, work)
  else installPlaceholder(work)
  context.registry.markInstalled(id)
}

/** Version of the core that the served release links to. */
export function releasedCmsVersion(user: SiteUser): string | null {
  const path = join(layoutOf(user.home).current, 'wp-includes/version.php')
  if (!existsSync(path)) return null
  return /^\$wp_version = '([^']+)';/m.exec(readFileSync(path, 'utf8'))?.[1] ?? null
}

async function installCms(context: AgentContext, work: SiteWork): Promise<void> {
  const core = await configuredCore(context)
  const layout = layoutOf(work.user.home)
  const sql = importDatabase(context, work, core)
  const files = buildFiles(context, work, core)
  await Promise.allSettled([sql, files])
  await Promise.all([sql, files])
  // A rename does not put the content of the files behind it on disk; the site is only installed once it is.
  await run('sync', ['--file-system', layout.home], { timeoutMs: 60_000 })
  failpoint('site.apply.application', 'mid')
  switchRelease(layout, work.registered.release)
  if (work.spec.type === 'woocommerce') await activateShop(context, work)
}

async function buildFiles(context: AgentContext, work: SiteWork, core: Core): Promise<void> {
  const { paths, registry } = context
  const { spec, user, registered } = work
  const layout = layoutOf(user.home)
  // The database client is started first and works while the copying below holds this process.
  await setImmediate()
  writeManagedFile(registry, wpConfigFile(context, work))
  const releaseDir = join(layout.releases, registered.release)
  // What an interrupted attempt left may lack content after a power cut, and was never handed over.
  if (existsSync(releaseDir)) await removeTree(releaseDir)
  const shop = spec.type === 'woocommerce' ? [{ name: 'woocommerce', dir: await shopPlugin(context) }] : []
  await buildRelease({
    core,
    releaseDir,
    sharedDir: layout.shared,
    site: user,
    cmsParts: paths.cmsParts,
    objectCache: spec.object_cache,
    plugins: shop,
  })
}

/** The database is made anew: the site was never served, and half an import is worth nothing. */
async function importDatabase(context: AgentContext, work: SiteWork, core: Core): Promise<void> {
  const { paths } = context
  const { spec, registered } = work
  if (spec.admin_email === null || spec.admin_user === null || work.adminPasswordHash === null) {
    throw new AppError(
      'invalid_request',
      `${spec.domain} needs an administrator with e-mail, name and password.`,
    )
  }
  const template = readFileSync(await ensureTemplate({ paths, lock: context.hostLock }, core), 'utf8')
  const database = { name: databaseName(registered.number), password: registered.secrets.databasePassword }
  await recreateDatabase(paths, database)
  const values = {
    url: siteUrl(spec, context.config.httpsPort),
    title: spec.title,
    adminUser: spec.admin_user,
    adminEmail: spec.admin_email,
    passwordHash: work.adminPasswordHash,
    now: new Date(),
  }
  await sqlAsSite(paths, database, instantiateTemplate(template, values))
}

function shopPlugin({ paths, config, hostLock }: AgentContext): Promise<string> {
  return ensureWooCommerce({ paths, source: config.woocommerceSource, lock: hostLock })
}

async function activateShop(
  { paths, config }: AgentContext,
  { user, spec, registered }: SiteWork,
): Promise<void> {
  await runCms({
    paths,
    site: user,
    release: join(layoutOf(user.home).releases, registered.release),
    url: new URL(siteUrl(spec, config.httpsPort)),
    ...(spec.php_version === null ? {} : { phpVersion: spec.php_version }),
    command: 'activate-plugin',
    args: { plugin: woocommercePlugin },
  })
}
