// What WordPress of a site has to know of this server, kept as its document says.
import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { redirectedNames } from '@reeve/contract/site-config.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import type { SiteUser } from '../as-site-user.ts'
import type { AgentContext } from '../context.ts'
import { databaseName } from '../database/mariadb.ts'
import { type ManagedFile, writeManagedFile } from '../managed-file.ts'
import { redisUserName } from '../object-cache/redis.ts'
import type { RegisteredSite } from '../registry.ts'
import { layoutOf } from '../sites/layout.ts'
import { objectCacheDropIn } from './release.ts'
import { renderWpConfig } from './render-wp-config.ts'
import { runCms } from './runner.ts'

export interface CmsSite {
  spec: SiteSpec
  registered: RegisteredSite
  user: SiteUser
}

/** The site's wp-config.php as its document asks for it. */
export function wpConfigFile({ paths, config }: AgentContext, site: CmsSite): ManagedFile {
  const { spec, registered, user } = site
  const { secrets } = registered
  const name = databaseName(registered.number)
  const text = renderWpConfig({
    database: { name, user: name, password: secrets.databasePassword, socket: paths.mariadbSocket },
    salts: secrets.salts,
    tablePrefix: 'wp_',
    url: siteUrl(spec, config.httpsPort),
    redis: spec.object_cache
      ? {
          socket: paths.redisSocket,
          user: redisUserName(registered.number),
          password: secrets.redisPassword,
          prefix: user.user,
        }
      : null,
    connectorToken: secrets.connectorToken,
    purgeMark: paths.purgeMark(spec.domain),
  })
  const path = join(layoutOf(user.home).shared, 'wp-config.php')
  return { path, text, mode: 0o640, gid: user.gid, renderer: 'cms/wp-config', siteId: spec.id }
}

/** Brings an installed WordPress to what the document says now. */
export async function convergeCms(
  context: AgentContext,
  site: CmsSite,
  log: (text: string) => void,
): Promise<void> {
  const { spec } = site
  // A drop-in without its settings works like none, but says so in the site's log.
  if (!spec.object_cache) await convergeObjectCache(context, site, log)
  writeManagedFile(context.registry, wpConfigFile(context, site))
  if (spec.object_cache) await convergeObjectCache(context, site, log)
}

/** The folder is the site's own, so its user makes and removes the link; a drop-in of another kind stays. */
async function convergeObjectCache(
  { paths, config }: AgentContext,
  { spec, user }: CmsSite,
  log: (text: string) => void,
): Promise<void> {
  const release = layoutOf(user.home).current
  const target = objectCacheDropIn(paths.cmsParts)
  const path = join(release, 'wp-content/object-cache.php')
  const found = lstatSync(path, { throwIfNoEntry: false })
  const isOurs = found?.isSymbolicLink() === true && readlinkSync(path) === target
  if (isOurs === spec.object_cache) return
  if (found && !isOurs) {
    if (spec.object_cache) log(`object cache: ${path} is not Reeve's and was left in place.`)
    return
  }
  await runCms({
    paths,
    site: user,
    release,
    url: new URL(siteUrl(spec, config.httpsPort)),
    command: 'object-cache',
    args: { enabled: spec.object_cache, path, target },
  })
}

/** Where the site's pages are served: another of its names when its own only leads there. */
export function siteUrl(spec: SiteSpec, httpsPort: number): string {
  const { domain } = spec
  const name = redirectedNames(spec).find(({ from }) => from === domain)?.to ?? domain
  return `https://${name}${httpsPort === 443 ? '' : `:${httpsPort}`}`
}
