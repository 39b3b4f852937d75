import {
  beginTwoFactor,
  changePassword,
  confirmTwoFactor,
  disableTwoFactor,
  listSessions,
  revokeSession,
} from '@reeve/contract/accounts.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { Context } from '../context.ts'
import { type Api, route } from '../route.ts'
import { notFound } from '../scope.ts'
import { announceSessions, announceTwoFactor } from './announce.ts'
import { type Caller, listSessionsOf } from './sessions.ts'
import type { ThrottleKey } from './throttle.ts'
import * as twoFactor from './two-factor.ts'

export function ownAccountRoutes(api: Api): void {
  const { context } = api
  const { db, events, passwords } = context

  route(api, changePassword, async ({ caller, body }) => {
    await checkOwnPassword(context, caller, body.current_password, 'current_password')
    const password_hash = await passwords.hash(body.new_password)
    await db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('accounts')
        .set({ password_hash })
        .where('id', '=', caller.accountId)
        .execute()
      await twoFactor.endOtherSessions(transaction, caller)
    })
    announceSessions(events, caller.accountId)
    return undefined
  })

  route(api, beginTwoFactor, ({ caller }) => twoFactor.beginTwoFactor(context, caller))

  route(api, confirmTwoFactor, async ({ caller, body }) => {
    const codes = await counted(context, caller, () => twoFactor.confirmTwoFactor(context, caller, body.code))
    announceTwoFactor(events, caller.accountId)
    return codes
  })

  route(api, disableTwoFactor, async ({ caller, body }) => {
    await checkOwnPassword(context, caller, body.password, 'password')
    await db.transaction().execute(async (transaction) => {
      await twoFactor.switchOffTwoFactor(transaction, caller.accountId)
      await twoFactor.endOtherSessions(transaction, caller)
    })
    announceTwoFactor(events, caller.accountId)
    return undefined
  })

  route(api, listSessions, async ({ caller }) => ({ sessions: await listSessionsOf(db, caller) }))

  route(api, revokeSession, async ({ caller, params }) => {
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where('id', '=', params.id)
      .where('account_id', '=', caller.accountId)
      .executeTakeFirst()
    if (numDeletedRows !== 1n) throw notFound()
    announceSessions(events, caller.accountId)
    return undefined
  })
}

async function checkOwnPassword(
  context: Context,
  caller: Caller,
  password: string,
  field: string,
): Promise<void> {
  await counted(context, caller, async () => {
    const account = await context.db
      .selectFrom('accounts')
      .select('password_hash')
      .where('id', '=', caller.accountId)
      .executeTakeFirst()
    if (await context.passwords.verify(password, account?.password_hash, 'known-device')) return
    throw new AppError('forbidden', 'This is not your password.', { field })
  })
}

/** A stolen session must not be able to guess: wrong tries are delayed like wrong sign-ins. */
async function counted<T>({ throttle }: Context, caller: Caller, attempt: () => Promise<T>): Promise<T> {
  const keys: ThrottleKey[] = [{ kind: 'device', name: `session ${caller.sessionId}` }]
  throttle.attempt(keys)
  const result = await attempt()
  throttle.succeeded(keys)
  return result
}
