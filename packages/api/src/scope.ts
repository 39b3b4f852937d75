// The one place where an id in a path becomes a resource. What does not exist and what the caller may not
// see are the same miss, down to the byte.
import type { Scope } from '@reeve/contract/endpoint.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { type Caller, seesSite } from './accounts/sessions.ts'
import type { Context } from './context.ts'
import type { DatabaseOrTransaction } from './db/types.ts'
import { findSite, type StoredSite } from './sites/store.ts'
import { tasksVisibleTo } from './tasks/visible.ts'

export interface ScopedTask {
  readonly id: string
  readonly siteId: SiteId | null
}

export interface ScopedResources {
  readonly site: StoredSite
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

export const notFound = () => new AppError('not_found', 'There is nothing here under this address.')
