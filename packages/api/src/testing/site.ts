import { SiteSpec, siteApply } from '@reeve/contract/sites.ts'
import { sha256 } from '../accounts/secrets.ts'
import { newId, newToken } from '../ids.ts'
import { insertSite, setSiteFacts, setSiteState } from '../sites/store.ts'
import { siteFacts } from './agent-server.ts'
import type { Panel } from './panel.ts'

let made = 0

export interface AddedSite {
  readonly siteId: string
  readonly taskId: string
  readonly cronId: string
  readonly connectorToken: string
}

/** An active WordPress site with a finished task and a cron job, without asking the agent. */
export async function addSite({ context }: Panel): Promise<AddedSite> {
  const siteId = newId('s')
  const spec = SiteSpec.parse({
    id: siteId,
    domain: `added${++made}.example.test`,
    aliases: [],
    type: 'wordpress',
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
  const cronId = newId('c')
  const connectorToken = newToken()
  const row = { id: taskId, kind: 'site.create', site_id: siteId, site_domain: spec.domain, actor: 'system' }
  const now = new Date().toISOString()
  await context.db.transaction().execute(async (transaction) => {
    await insertSite(transaction, spec)
    await setSiteState(transaction, siteId, 'active')
    const facts = { ...siteFacts, connector_token_sha256: sha256(connectorToken) }
    await setSiteFacts(transaction, siteId, siteApply.output.parse(facts))
    await transaction
      .insertInto('cron_jobs')
      .values({
        id: cronId,
        site_id: siteId,
        schedule: '@daily',
        command: 'php -v',
        enabled: 1,
        timeout_s: 300,
        created_at: now,
      })
      .execute()
    await transaction
      .insertInto('tasks')
      .values({ ...row, state: 'succeeded', created_at: now })
      .execute()
  })
  return { siteId, taskId, cronId, connectorToken }
}
