import type { ExpressionBuilder } from 'kysely'
import { type Caller, seesAllSites } from '../accounts/sessions.ts'
import type { Schema } from '../db/types.ts'

/**
 * Condition for the tasks that a caller may see: those of their sites, and of what they asked for themselves
 * those whose site is gone. Having asked once is no right to a site that was taken away since.
 */
export const tasksVisibleTo = (caller: Caller) => (where: ExpressionBuilder<Schema, 'tasks'>) => {
  if (seesAllSites(caller)) return where.and([])
  const itsSite = where.selectFrom('sites').select('sites.id').whereRef('sites.id', '=', 'tasks.site_id')
  return where.or([
    where('site_id', 'in', [...caller.siteIds]),
    where.and([where('actor_id', '=', caller.accountId), where.not(where.exists(itsSite))]),
  ])
}
