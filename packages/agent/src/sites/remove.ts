// Removes every trace of a site. Each step asks what is left, so the same call finishes a removal that was
// interrupted and undoes a creation at whatever step it stopped.
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { usesDatabase } from '@reeve/contract/sites.ts'
import { removeAccess } from '../access/access.ts'
import type { SiteUser } from '../as-site-user.ts'
import { retireCertificate } from '../certificates/retire.ts'
import type { AgentContext } from '../context.ts'
import { databaseName, dropDatabase } from '../database/mariadb.ts'
import type { Progress } from '../dispatch.ts'
import { removeLogRotation } from '../logs/site-rotation.ts'
import { syncDirectory } from '../managed-file.ts'
import { hasRedisAccount, removeRedisAccount } from '../object-cache/redis.ts'
import type { Paths } from '../paths.ts'
import { removePool } from '../php/pool.ts'
import type { RegisteredSite } from '../registry.ts'
import { runSteps, type Step } from '../steps.ts'
import { removeVhost } from '../web-server/vhost.ts'
import { removeTree } from './layout.ts'
import { endProcesses, removeUser, siteUserOf } from './user.ts'

export async function removeSite(context: AgentContext, id: SiteId, progress: Progress): Promise<boolean> {
  return context.siteLock.hold(id, async () => {
    const registered = context.registry.findSite(id)
    if (!registered) return false
    const user = siteUserOf(context.paths, registered)
    context.registry.markBeingRemoved(id)
    await context.cron.removeSite(id)
    await removeAccess(context, registered)
    await runSteps('site.remove', stepsOf(context, registered, user, progress), progress)
    context.registry.forgetSite(id)
    return true
  })
}

function stepsOf(context: AgentContext, site: RegisteredSite, user: SiteUser, progress: Progress): Step[] {
  const { paths } = context
  const { type, object_cache: wantsObjects } = site.spec
  const dropData = async () =>
    usesDatabase(type) ? dropDatabase(paths, databaseName(site.number)) : undefined
  const hasObjects = wantsObjects || hasRedisAccount(context, user.user)
  const dropObjects = async () => (hasObjects ? removeRedisAccount(context, user.user) : undefined)
  // A site needs no service to answer that it never used.
  return [
    { name: 'web server', after: [], run: () => removeVhost(context, site) },
    { name: 'certificate', after: [], run: () => retireCertificate(context, site.spec.id, progress) },
    { name: 'php', after: [], run: () => removePool(context, user) },
    { name: 'processes', after: ['php', 'web server'], run: () => endProcesses(user) },
    { name: 'files', after: ['processes', 'certificate'], run: () => removeFiles(context, site, user) },
    { name: 'database', after: ['processes'], run: dropData },
    { name: 'object cache', after: ['processes'], run: dropObjects },
    { name: 'user', after: ['processes'], run: () => removeUser(context.hostLock, user) },
  ]
}

async function removeFiles(context: AgentContext, site: RegisteredSite, user: SiteUser): Promise<void> {
  const { paths, registry } = context
  const { id, domain } = site.spec
  const trash = join(paths.trash, id)
  removeLogRotation(context, user)
  // Out of the site's reach first: below a directory of root's no process of the site can swap a path.
  mkdirSync(paths.trash, { recursive: true, mode: 0o700 })
  if (existsSync(user.home)) {
    await removeTree(trash)
    renameSync(user.home, trash)
    syncDirectory(paths.sites)
  }
  for (const path of registry.filesOf(id)) registry.forgetFile(path)
  await Promise.all(
    [
      trash,
      paths.siteLogs(domain),
      paths.siteTls(id),
      paths.pageCache(id),
      ...leftTemporary(paths, user.uid),
    ].map((path) => removeTree(path)),
  )
}

/** The next site with this number would own what stays here. */
function leftTemporary({ phpTemporary }: Paths, uid: number): string[] {
  if (!existsSync(phpTemporary)) return []
  return readdirSync(phpTemporary)
    .map((name) => join(phpTemporary, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.uid === uid)
}
