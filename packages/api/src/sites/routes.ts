import { AppError } from '@reeve/contract/errors.ts'
import { createSite, deleteSite, getSite, listSites } from '@reeve/contract/sites.ts'
import { assignSites } from '../accounts/accounts.ts'
import { type Caller, seesAllSites } from '../accounts/sessions.ts'
import { type Api, route } from '../route.ts'
import { startTask } from '../tasks/start.ts'
import { taskFor } from './change.ts'
import { buildSpec, checkFields, checkPhpVersion } from './create.ts'
import { checkDomains } from './domain-checks.ts'
import {
  findSite,
  insertSite,
  listStoredSites,
  presentSite,
  type StoredSite,
  setSiteState,
  workingTasks,
} from './store.ts'
import { createSiteTask, deleteSiteTask } from './tasks.ts'
import { hashForWordPress } from './wordpress-password.ts'

export function siteRoutes(api: Api): void {
  const { context } = api
  const { config, db } = context

  const shown = (site: StoredSite, caller: Caller, taskId: string | undefined) =>
    presentSite(site, { httpsPort: config.httpsPort, caller, taskId })

  route(api, listSites, async ({ caller }) => {
    const sites = await listStoredSites(db, seesAllSites(caller) ? 'all' : caller.siteIds)
    const working = await workingTasks(db)
    return { sites: sites.map((site) => shown(site, caller, working.get(site.id))) }
  })

  route(api, getSite, async ({ caller, scoped: { site } }) => {
    return shown(site, caller, (await workingTasks(db)).get(site.id))
  })

  route(api, createSite, async ({ caller, body, audit }) => {
    audit.target = body.domain
    checkFields(body)
    await checkDomains(db, config, caller, body.domain, body.aliases ?? [])
    checkPhpVersion(body.php_version, await context.capacity.current(), 'php_version')
    const site = buildSpec(body)
    audit.siteId = site.id
    const password = body.admin_password
    const input = { site, admin_password_hash: password === undefined ? null : hashForWordPress(password) }
    const task = await startTask(
      context,
      taskFor(createSiteTask, input, site, caller),
      async (transaction) => {
        await checkDomains(transaction, config, caller, site.domain, site.aliases)
        await insertSite(transaction, site)
        if (caller.role === 'operator') await assignSites(transaction, caller.accountId, [site.id])
      },
    )
    const stored = await findSite(db, site.id)
    if (!stored) throw new AppError('conflict', `Creating ${site.domain} was undone at once.`)
    return { task, site: shown(stored, caller, task.id) }
  })

  route(api, deleteSite, async ({ caller, scoped: { site } }) => {
    const task = taskFor(deleteSiteTask, { id: site.id }, site.spec, caller)
    return {
      task: await startTask(context, task, (transaction) => setSiteState(transaction, site.id, 'deleting')),
    }
  })
}
