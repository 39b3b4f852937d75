// The one place where an id in a path becomes a resource. What does not exist and what the caller may not
// see are the same miss, down to the byte.
import type { Scope } from '@reeve/contract/endpoint.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { isCms } from '@reeve/contract/sites.ts'
import { type Caller, seesSite } from './accounts/sessions.ts'
import type { Context } from './context.ts'
import type { DatabaseOrTransaction } from './db/types.ts'
import { sha256 } from './accounts/secrets.ts'
import { findSite, findSiteByConnectorToken, type StoredSite } from './sites/store.ts'
import { tasksVisibleTo } from './tasks/visible.ts'

export interface ScopedTask {
  readonly id: string
  readonly siteId: SiteId | null
}

export interface ScopedCronJob {
  readonly id: string
  readonly site: StoredSite
  /** WordPress's own tasks: the job has the id of its site with another first letter, and no row. */
  readonly isBuiltIn: boolean
}

export interface ScopedResources {
  readonly site: StoredSite
  readonly cron: ScopedCronJob
  readonly task: ScopedTask
}

type Loaders = {
  readonly [S in Scope]: (
    db: DatabaseOrTransaction,
    caller: Caller,
    id: string,
  ) => Promise<ScopedResources[S] | undefined>
}

const loaders: Loaders = {
  async site(db, caller, id) {
    return seesSite(caller, id) ? await findSite(db, id) : undefined
  },
  async cron(db, caller, id) {
    const job = await db
      .selectFrom('cron_jobs')
      .select(['id', 'site_id'])
      .where('id', '=', id)
      .executeTakeFirst()
    const siteId = job?.site_id ?? `s${id.slice(1)}`
    const site = id.startsWith('c') && seesSite(caller, siteId) ? await findSite(db, siteId) : undefined
    if (!site || (!job && !isCms(site.spec.type))) return undefined
    return { id, site, isBuiltIn: !job }
  },
  async task(db, caller, id) {
    const task = await db
      .selectFrom('tasks')
      .select(['id', 'site_id'])
      .where('id', '=', id)
      .where(tasksVisibleTo(caller))
      .executeTakeFirst()
    return task && { id: task.id, siteId: task.site_id }
  },
}

export async function loadScoped(
  context: Context,
  scope: Scope,
  caller: Caller | undefined,
  params: unknown,
): Promise<Partial<ScopedResources>> {
  const id = typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : ''
  const found =
    caller && /^[a-z][a-z2-7]{15}$/.test(id) ? await loaders[scope](context.db, caller, id) : undefined
  if (!found) throw notFound()
  return { [scope]: found }
}

/** The site that presents its own connector token. */
export async function siteOfToken(
  db: DatabaseOrTransaction,
  authorization: string | undefined,
): Promise<StoredSite> {
  const token = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(authorization ?? '')?.[1]
  const site = token === undefined ? undefined : await findSiteByConnectorToken(db, sha256(token))
  if (site) return site
  throw new AppError('unauthenticated', "Present the site's own connector token.")
}

export const notFound = () => new AppError('not_found', 'There is nothing here under this address.')
