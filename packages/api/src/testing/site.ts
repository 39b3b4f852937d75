import { SiteSpec } from '@reeve/contract/sites.ts'
import { newId } from '../ids.ts'
import { insertSite, setSiteState } from '../sites/store.ts'
import type { Panel } from './panel.ts'

let made = 0

/** An active site with a finished task, without asking the agent. */
export async function addSite({ context }: Panel): Promise<{ siteId: string; taskId: string }> {
  const siteId = newId('s')
  const spec = SiteSpec.parse({
    id: siteId,
    domain: `added${++made}.example.test`,
    aliases: [],
    type: 'static',
    profile: 'balanced',
    title: 'A site',
    admin_email: null,
    admin_user: null,
    object_cache: false,
    php_version: null,
    php_workers: null,
    proxy_upstream: null,
    cache: { enabled: true, ttl_s: 600 },
  })
  const taskId = newId('t')
  const row = { id: taskId, kind: 'site.create', site_id: siteId, site_domain: spec.domain, actor: 'system' }
  const now = new Date().toISOString()
  await context.db.transaction().execute(async (transaction) => {
    await insertSite(transaction, spec)
    await setSiteState(transaction, siteId, 'active')
    await transaction
      .insertInto('tasks')
      .values({ ...row, state: 'succeeded', created_at: now })
      .execute()
  })
  return { siteId, taskId }
}
