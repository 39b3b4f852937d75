// Sites in state.db: the desired state is one JSON document, beside it what the server last reported.
import type { SiteId } from '@reeve/contract/primitives.ts'
import { type Site, SiteSpec, type SiteState, siteApply } from '@reeve/contract/sites.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { Caller } from '../accounts/sessions.ts'
import { isUniqueViolation } from '../db/open.ts'
import type { DatabaseOrTransaction, DatabaseTransaction, Schema } from '../db/types.ts'

export type SiteFacts = z.output<typeof siteApply.output>

export interface StoredSite {
  readonly id: SiteId
  readonly spec: SiteSpec
  readonly state: SiteState
  readonly failure: string | null
  readonly facts: SiteFacts | null
  readonly createdAt: string
  readonly updatedAt: string
}

export async function findSite(db: DatabaseOrTransaction, id: string): Promise<StoredSite | undefined> {
  const row = await db.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirst()
  return row && fromRow(row)
}

export async function findSiteByConnectorToken(
  db: DatabaseOrTransaction,
  tokenSha256: string,
): Promise<StoredSite | undefined> {
  const row = await db
    .selectFrom('sites')
    .selectAll()
    .where(sql<string>`facts ->> '$.connector_token_sha256'`, '=', tokenSha256)
    .executeTakeFirst()
  return row && fromRow(row)
}

/** All sites, or those in `ids`. */
export async function listStoredSites(
  db: DatabaseOrTransaction,
  ids: ReadonlySet<string> | 'all',
): Promise<StoredSite[]> {
  const all = db.selectFrom('sites').selectAll()
  const rows = await (ids === 'all' ? all : all.where('id', 'in', [...ids])).execute()
  return rows.map(fromRow).sort((a, b) => a.spec.domain.localeCompare(b.spec.domain))
}

function fromRow(row: Selectable<Schema['sites']>): StoredSite {
  return {
    id: row.id,
    spec: SiteSpec.parse(JSON.parse(row.document)),
    state: row.state,
    failure: row.failure,
    facts: row.facts === null ? null : siteApply.output.parse(JSON.parse(row.facts)),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export async function insertSite(transaction: DatabaseTransaction, spec: SiteSpec): Promise<void> {
  const now = new Date().toISOString()
  const row = { id: spec.id, document: JSON.stringify(spec), state: 'creating' as const }
  await transaction
    .insertInto('sites')
    .values({ ...row, created_at: now, updated_at: now })
    .execute()
  for (const domain of [spec.domain, ...spec.aliases]) {
    try {
      await transaction.insertInto('site_domains').values({ domain, site_id: spec.id }).execute()
    } catch (error) {
      if (isUniqueViolation(error)) throw domainTaken(domain, spec.domain)
      throw error
    }
  }
}

/** Takes the names the new document adds; those it drops stay taken until the change is through. */
export async function reserveNames(
  transaction: DatabaseTransaction,
  before: SiteSpec,
  after: SiteSpec,
): Promise<void> {
  for (const domain of after.aliases.filter((name) => !before.aliases.includes(name))) {
    try {
      await transaction.insertInto('site_domains').values({ domain, site_id: after.id }).execute()
    } catch (error) {
      if (isUniqueViolation(error)) throw domainTaken(domain, after.domain)
      throw error
    }
  }
}

/** Makes this the site's document, and its names the only ones it holds. */
export async function storeSpec(transaction: DatabaseTransaction, spec: SiteSpec): Promise<void> {
  await transaction
    .updateTable('sites')
    .set({ document: JSON.stringify(spec), updated_at: new Date().toISOString() })
    .where('id', '=', spec.id)
    .execute()
  await transaction
    .deleteFrom('site_domains')
    .where('site_id', '=', spec.id)
    .where('domain', 'not in', [spec.domain, ...spec.aliases])
    .execute()
}

/** The same sentence whether the caller may see the other site or not. */
export const domainTaken = (domain: string, primary: string) =>
  new AppError('conflict', `${domain} is not available on this server. Choose another name.`, {
    field: domain === primary ? 'domain' : 'aliases',
  })

export async function setSiteState(
  db: DatabaseOrTransaction,
  id: string,
  state: SiteState,
  failure: string | null = null,
): Promise<void> {
  await db
    .updateTable('sites')
    .set({ state, failure, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .execute()
}

export async function setSiteFacts(db: DatabaseOrTransaction, id: string, facts: SiteFacts): Promise<void> {
  await db
    .updateTable('sites')
    .set({ facts: JSON.stringify(facts) })
    .where('id', '=', id)
    .execute()
}

/** Without what the server reported, a site cannot be changed, only deleted. */
export async function forgetSiteFacts(db: DatabaseOrTransaction, id: string): Promise<void> {
  await db.updateTable('sites').set({ facts: null }).where('id', '=', id).execute()
}

/** With its domains and assignments, which hang on it. */
export async function deleteSiteRow(db: DatabaseOrTransaction, id: string): Promise<void> {
  await db.deleteFrom('sites').where('id', '=', id).execute()
}

/** Id of the task that works on each site now. */
export async function workingTasks(db: DatabaseOrTransaction): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'site_id'])
    .where('state', 'in', ['queued', 'running', 'undoing'])
    .where('site_id', 'is not', null)
    .execute()
  return new Map(rows.flatMap(({ id, site_id }) => (site_id === null ? [] : [[site_id, id] as const])))
}

/** What a caller sees of a site; only administrators see the snippet they alone may write. */
export function presentSite(
  site: StoredSite,
  { httpsPort, caller, taskId }: { httpsPort: number; caller: Caller; taskId: string | undefined },
): Site {
  const { spec, facts } = site
  return {
    id: site.id,
    domain: spec.domain,
    aliases: spec.aliases,
    type: spec.type,
    profile: spec.profile,
    title: spec.title,
    state: site.state,
    failure: site.failure,
    url: `https://${spec.domain}${httpsPort === 443 ? '' : `:${httpsPort}`}/`,
    admin_email: spec.admin_email,
    admin_user: spec.admin_user,
    object_cache: spec.object_cache,
    php_version: facts?.php_version ?? spec.php_version,
    php_workers: facts?.php_workers ?? spec.php_workers,
    proxy_upstream: spec.proxy_upstream,
    cache: spec.cache,
    php_limits: spec.php_limits,
    redirects: spec.redirects,
    https_redirect: spec.https_redirect,
    www_redirect: spec.www_redirect,
    hsts: spec.hsts,
    basic_auth: spec.basic_auth && { user: spec.basic_auth.user },
    login_rate_limit: spec.login_rate_limit,
    nginx_snippet: caller.role === 'admin' ? spec.nginx_snippet : null,
    cms_version: facts?.cms_version ?? null,
    certificate: facts?.certificate ?? null,
    system_user: facts?.system_user ?? null,
    task_id: taskId ?? null,
    created_at: site.createdAt,
    updated_at: site.updatedAt,
  }
}
