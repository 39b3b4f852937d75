// The second factor of an account: enrolment, switching off, and spending a code exactly once.
import { randomInt } from 'node:crypto'
import { AppError } from '@reeve/contract/errors.ts'
import type { Context } from '../context.ts'
import type { DatabaseTransaction } from '../db/types.ts'
import type { Secrets } from './secrets.ts'
import { sha256 } from './secrets.ts'
import type { Caller } from './sessions.ts'
import { matchingStep, newSeed, otpauthUrl, base32 } from './totp.ts'

const recoveryCodeCount = 10
// Without the letters that are mistaken for digits; two groups of five are 50 bits.
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

export async function beginTwoFactor({ db, secrets, config }: Context, caller: Caller) {
  const seed = newSeed()
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ totp_pending: secrets.encrypt(seed, caller.accountId) })
    .where('id', '=', caller.accountId)
    .where('totp_seed', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw isOnAlready()
  return {
    secret: base32(seed),
    otpauth_url: otpauthUrl(`Reeve ${config.hostname}`, caller.email, seed),
  }
}

const isOnAlready = () =>
  new AppError('conflict', 'Two-factor authentication is on already. Switch it off before enrolling again.')

export async function confirmTwoFactor({ db, secrets }: Context, caller: Caller, code: string) {
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode)
  await db.transaction().execute(async (transaction) => {
    const account = await transaction
      .selectFrom('accounts')
      .select(['totp_seed', 'totp_pending'])
      .where('id', '=', caller.accountId)
      .executeTakeFirstOrThrow()
    if (account.totp_seed !== null) throw isOnAlready()
    if (account.totp_pending === null) {
      throw new AppError('conflict', 'No enrolment is under way. Start two-factor authentication first.')
    }
    const seed = secrets.decrypt(account.totp_pending, caller.accountId)
    const step = matchingStep(seed, code, Date.now(), 0)
    if (step === undefined) throw wrongCode()
    await transaction
      .updateTable('accounts')
      .set({ totp_seed: account.totp_pending, totp_pending: null, totp_last_step: step })
      .where('id', '=', caller.accountId)
      .execute()
    await transaction.deleteFrom('recovery_codes').where('account_id', '=', caller.accountId).execute()
    const rows = codes.map((plain) => ({ account_id: caller.accountId, code_sha256: sha256(plain) }))
    await transaction.insertInto('recovery_codes').values(rows).execute()
    await endOtherSessions(transaction, caller)
  })
  return { recovery_codes: codes }
}

export const wrongCode = () =>
  new AppError(
    'invalid_request',
    'This code is not right or was used already. Wait for the next one; if none works, check the clocks of ' +
      'your device and of the server.',
    { field: 'code' },
  )

export async function switchOffTwoFactor(transaction: DatabaseTransaction, accountId: string): Promise<void> {
  await transaction
    .updateTable('accounts')
    .set({ totp_seed: null, totp_pending: null, totp_last_step: 0 })
    .where('id', '=', accountId)
    .execute()
  await transaction.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute()
}

/** Spends a TOTP or recovery code; false when it is wrong or was used before. */
export async function spendCode(
  transaction: DatabaseTransaction,
  secrets: Secrets,
  account: { id: string; totp_seed: Uint8Array; totp_last_step: number },
  code: string,
): Promise<boolean> {
  const seed = secrets.decrypt(account.totp_seed, account.id)
  const step = matchingStep(seed, code, Date.now(), account.totp_last_step)
  if (step !== undefined) {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ totp_last_step: step })
      .where('id', '=', account.id)
      .where('totp_last_step', '<', step)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }
  const { numDeletedRows } = await transaction
    .deleteFrom('recovery_codes')
    .where('account_id', '=', account.id)
    .where('code_sha256', '=', sha256(normalRecoveryCode(code)))
    .executeTakeFirst()
  return numDeletedRows === 1n
}

function newRecoveryCode(): string {
  const letters = Array.from({ length: 10 }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)])
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`
}

function normalRecoveryCode(code: string): string {
  const letters = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return `${letters.slice(0, 5)}-${letters.slice(5)}`
}

export async function endOtherSessions(transaction: DatabaseTransaction, caller: Caller): Promise<void> {
  await transaction
    .deleteFrom('sessions')
    .where('account_id', '=', caller.accountId)
    .where('id', '!=', caller.sessionId)
    .execute()
}
