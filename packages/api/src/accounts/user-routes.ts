import { type AccountRole, createUser, deleteUser, listUsers, updateUser } from '@reeve/contract/accounts.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { isUniqueViolation } from '../db/open.ts'
import type { DatabaseTransaction } from '../db/types.ts'
import { type Api, route } from '../route.ts'
import { notFound } from '../scope.ts'
import { announceReach, announceUsers } from './announce.ts'
import { assignSites, createAccount, getAccount, listAccounts } from './accounts.ts'

export function userRoutes(api: Api): void {
  const { db, events, passwords } = api.context

  route(api, listUsers, async () => ({ users: await listAccounts(db) }))

  route(api, createUser, async ({ body, audit }) => {
    audit.target = body.email
    const siteIds = sitesFor(body.role, body.site_ids)
    const passwordHash = await passwords.hash(body.password)
    const { email, role } = body
    try {
      const account = await db.transaction().execute(async (transaction) => {
        await checkSites(transaction, siteIds)
        const id = await createAccount(transaction, { email, role, passwordHash, siteIds })
        return await getAccount(transaction, id)
      })
      announceUsers(events)
      return account
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new AppError('conflict', `There is an account for ${email} already.`, { field: 'email' })
    }
  })

  route(api, updateUser, async ({ params, body, audit }) => {
    const siteIds = sitesFor(body.role, body.site_ids)
    const changed = await db.transaction().execute(async (transaction) => {
      const account = await getAccount(transaction, params.id)
      if (!account) throw notFound()
      audit.target = account.email
      if (body.role !== 'admin') await keepOneAdmin(transaction, account)
      await checkSites(transaction, siteIds)
      await transaction
        .updateTable('accounts')
        .set({ role: body.role })
        .where('id', '=', account.id)
        .execute()
      await transaction.deleteFrom('account_sites').where('account_id', '=', account.id).execute()
      await assignSites(transaction, account.id, siteIds)
      return await getAccount(transaction, account.id)
    })
    announceReach(events, params.id)
    return changed
  })

  route(api, deleteUser, async ({ params, audit }) => {
    await db.transaction().execute(async (transaction) => {
      const account = await getAccount(transaction, params.id)
      if (!account) throw notFound()
      audit.target = account.email
      await keepOneAdmin(transaction, account)
      await transaction.deleteFrom('accounts').where('id', '=', account.id).execute()
    })
    announceReach(events, params.id)
    return undefined
  })
}

function sitesFor(role: AccountRole, given: readonly string[] | undefined): string[] {
  const wrong = (message: string) => new AppError('invalid_request', message, { field: 'site_ids' })
  if (role === 'operator') {
    if (given === undefined)
      throw wrong('site_ids is needed for an operator: the sites they may see and touch.')
    return [...new Set(given)]
  }
  if (given !== undefined && given.length > 0) {
    throw wrong(`site_ids is only for operators; an account with the role ${role} sees all sites.`)
  }
  return []
}

async function checkSites(transaction: DatabaseTransaction, siteIds: readonly string[]): Promise<void> {
  if (siteIds.length === 0) return
  const rows = await transaction.selectFrom('sites').select('id').where('id', 'in', siteIds).execute()
  const known = new Set(rows.map(({ id }) => id))
  const missing = siteIds.find((id) => !known.has(id))
  if (missing === undefined) return
  throw new AppError('invalid_request', `There is no site ${missing}.`, { field: 'site_ids' })
}

async function keepOneAdmin(
  transaction: DatabaseTransaction,
  account: { id: string; role: AccountRole; email: string },
): Promise<void> {
  if (account.role !== 'admin') return
  const other = await transaction
    .selectFrom('accounts')
    .select('id')
    .where('role', '=', 'admin')
    .where('id', '!=', account.id)
    .executeTakeFirst()
  if (other) return
  throw new AppError('conflict', `${account.email} is the last admin. Make somebody else an admin first.`)
}
