// A site's part of the web server: its vhost and, where visitors need a password, the file with it.
import { profileCache, type SiteSpec } from '@reeve/contract/sites.ts'
import { redirectedNames } from '@reeve/contract/site-config.ts'
import { certificateFiles } from '../certificates/pair.ts'
import type { AgentContext } from '../context.ts'
import { groupId } from '../host-accounts.ts'
import { type ManagedFile, removeManagedFile, retireManagedFile, writeManagedFile } from '../managed-file.ts'
import { requestTimeoutS } from '../php/render-pool.ts'
import type { RegisteredSite } from '../registry.ts'
import type { SiteWork } from '../sites/apply.ts'
import { ensureDirectory, removeTree } from '../sites/layout.ts'
import { renderPasswords } from './render-passwords.ts'
import { renderVhost } from './render-vhost.ts'

export type VhostSite = { spec: SiteSpec; user: { user: string } }

/** The site's vhost as its document asks for it. */
export function vhostFile(context: AgentContext, { spec, user }: VhostSite): ManagedFile {
  const { paths } = context
  const files = certificateFiles(paths.siteTls(spec.id))
  const limits = spec.php_limits
  const text = renderVhost(paths, {
    ...spec,
    user: user.user,
    php_socket: spec.php_version === null ? null : paths.fpmSocket(user.user, spec.php_version),
    stale_s: profileCache[spec.profile].stale_s,
    redirected_names: redirectedNames(spec),
    password_file: spec.basic_auth === null ? null : paths.sitePasswords(spec.id),
    certificate: { chain: files.certificate, key: files.key },
    ports: context.ports,
    nginx: context.nginxFeatures,
    api_port: context.config.apiPort,
    limits: { upload_max_mb: limits.upload_max_mb, request_timeout_s: requestTimeoutS(limits) },
  })
  const path = paths.vhost(spec.domain)
  return { path, text, mode: 0o640, renderer: 'web-server/vhost', siteId: spec.id }
}

/** nginx's workers read it at each request; nobody else but root does. */
export function passwordFile(context: AgentContext, spec: SiteSpec): ManagedFile | undefined {
  if (spec.basic_auth === null) return undefined
  return {
    path: context.paths.sitePasswords(spec.id),
    text: renderPasswords(spec.basic_auth),
    mode: 0o640,
    gid: groupId('www-data'),
    renderer: 'web-server/passwords',
    siteId: spec.id,
  }
}

export async function applyVhost(context: AgentContext, work: SiteWork): Promise<void> {
  const { paths, registry } = context
  ensureDirectory(paths.pageCaches, 0o711, 0, 0)
  ensureDirectory(paths.siteLogs(work.spec.domain), 0o750, 0, 0)
  const vhost = vhostFile(context, work)
  const passwords = passwordFile(context, work.spec)
  if (passwords) ensureDirectory(paths.passwords, 0o711, 0, 0)
  const files = passwords ? [passwords, vhost] : [vhost]
  await context.webServer.change(() => files.map((file) => writeManagedFile(registry, file)))
  // Not before: workers that still ask for a password would refuse everybody without the file.
  if (!passwords) removeManagedFile(registry, paths.sitePasswords(work.spec.id))
  // Switched on again, a cache must not begin with what it held before.
  if (!work.spec.cache.enabled) await removeTree(paths.pageCache(work.spec.id))
}

export async function removeVhost(context: AgentContext, site: RegisteredSite): Promise<void> {
  const { paths, registry } = context
  await context.webServer.change(() => [retireManagedFile(registry, paths.vhost(site.spec.domain))])
  removeManagedFile(registry, paths.sitePasswords(site.spec.id))
}
