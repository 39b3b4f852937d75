// Accounts as the rest of the API sees them.
import type { Account, AccountRole } from '@reeve/contract/accounts.ts'
import type { DatabaseOrTransaction } from '../db/types.ts'
import { newId } from '../ids.ts'

export async function createAccount(
  db: DatabaseOrTransaction,
  account: { email: string; role: AccountRole; passwordHash: string; siteIds: readonly string[] },
): Promise<string> {
  const id = newId('a')
  await db
    .insertInto('accounts')
    .values({
      id,
      email: account.email.toLowerCase(),
      role: account.role,
      password_hash: account.passwordHash,
      created_at: new Date().toISOString(),
    })
    .execute()
  await assignSites(db, id, account.siteIds)
  return id
}

export async function assignSites(
  db: DatabaseOrTransaction,
  accountId: string,
  siteIds: readonly string[],
): Promise<void> {
  if (siteIds.length === 0) return
  const rows = siteIds.map((site_id) => ({ account_id: accountId, site_id }))
  await db
    .insertInto('account_sites')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function getAccount(db: DatabaseOrTransaction, id: string): Promise<Account | undefined> {
  return (await readAccounts(db, id))[0]
}

export const listAccounts = (db: DatabaseOrTransaction): Promise<Account[]> => readAccounts(db)

async function readAccounts(db: DatabaseOrTransaction, id?: string): Promise<Account[]> {
  let accounts = db
    .selectFrom('accounts')
    .select(['id', 'email', 'role', 'totp_seed', 'created_at'])
    .orderBy('email')
  let assigned = db.selectFrom('account_sites').selectAll().orderBy('site_id')
  if (id !== undefined) {
    accounts = accounts.where('id', '=', id)
    assigned = assigned.where('account_id', '=', id)
  }
  const rows = await accounts.execute()
  const sites = Map.groupBy(await assigned.execute(), (row) => row.account_id)
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    site_ids: (sites.get(row.id) ?? []).map(({ site_id }) => site_id),
    two_factor: row.totp_seed !== null,
    created_at: row.created_at,
  }))
}

export async function countAccounts(db: DatabaseOrTransaction): Promise<number> {
  const row = await db
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
