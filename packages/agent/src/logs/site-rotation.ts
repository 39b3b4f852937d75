// One file a site, so that a site whose user is gone or whose directory is broken costs no other site its rotation.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteUser } from '../as-site-user.ts'
import type { AgentContext } from '../context.ts'
import { removeManagedFile, writeManagedFile } from '../managed-file.ts'
import type { RegisteredSite } from '../registry.ts'
import { layoutOf } from '../sites/layout.ts'
import { renderSiteLogRotation } from './render-logrotate.ts'

export function applyLogRotation(
  { paths, registry }: AgentContext,
  site: RegisteredSite,
  user: SiteUser,
): void {
  const logs = [join(layoutOf(user.home).logs, 'php-error.log')]
  mkdirSync(paths.logrotateFolder, { recursive: true })
  writeManagedFile(registry, {
    path: paths.siteLogRotation(user.user),
    text: renderSiteLogRotation({ user: user.user, logs }),
    mode: 0o644,
    renderer: 'logs/site',
    siteId: site.spec.id,
  })
}

export function removeLogRotation({ paths, registry }: AgentContext, user: SiteUser): void {
  removeManagedFile(registry, paths.siteLogRotation(user.user))
}
