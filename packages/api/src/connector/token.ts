import type { SiteId } from '@reeve/contract/primitives.ts'
import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../db/types.ts'

const hash = sql<string>`facts ->> '$.connector_token_sha256'`

/** Stores the hash of the site's token, unless another one than `before` has been stored meanwhile. */
export async function replaceToken(
  db: DatabaseOrTransaction,
  site: SiteId,
  before: string,
  now: string,
): Promise<void> {
  // This part alone: a task may be storing what else the server reported.
  const facts = sql<string>`json_set(facts, '$.connector_token_sha256', ${now})`
  await db.updateTable('sites').set({ facts }).where('id', '=', site).where(hash, '=', before).execute()
}
