// Commands for root on the host, for when nobody can sign in any more. They work on the state database
// directly, whether the panel runs or not.
import { randomInt } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AppError } from '@reeve/contract/errors.ts'
import { listAccounts } from './accounts/accounts.ts'
import { createPasswordHasher } from './accounts/passwords.ts'
import { readSetupToken } from './accounts/setup-token.ts'
import { switchOffTwoFactor } from './accounts/two-factor.ts'
import { recordAudit } from './audit/audit.ts'
import { type Config, readConfig } from './config.ts'
import { openDatabase } from './db/open.ts'
import type { Database } from './db/types.ts'

const usage = `Usage:
  reeve recover-admin                          list the accounts
  reeve recover-admin <e-mail> [--disable-2fa] give the account a new password and end its sessions
`

/** Answers what to print. */
export async function recoverAdmin(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'disable-2fa': { type: 'boolean' }, help: { type: 'boolean' } },
  })
  const [email, ...more] = positionals
  if (values.help || more.length > 0) return usage
  const config = readConfig(env)
  becomeOwner(config)
  await using state = await openDatabase(config.paths.database, config.paths.backups)
  if (email === undefined) return await describeAccounts(state.db)
  return await resetPassword(state.db, email, values['disable-2fa'] === true)
}

/** The token of the first setup, or why there is none. */
export async function showSetupToken(env: NodeJS.ProcessEnv): Promise<string> {
  const { paths } = readConfig(env)
  const token = readSetupToken(paths.setupToken)
  if (token !== undefined) return `${token}\n`
  throw new AppError(
    'not_found',
    `There is no setup token in ${paths.setupToken}: the setup is complete, or the panel has not been started yet.`,
  )
}

// Files that root makes beside the database would lock the panel's own user out of it.
function becomeOwner({ paths }: Config): void {
  if (!existsSync(paths.database)) {
    throw new AppError('not_found', `There is no state database at ${paths.database}. Is REEVE_ROOT right?`)
  }
  const { uid, gid } = statSync(paths.database)
  if (process.getuid?.() !== 0 || uid === 0) return
  process.setgroups?.([])
  process.setegid?.(gid)
  process.seteuid?.(uid)
}

async function describeAccounts(db: Database): Promise<string> {
  const accounts = await listAccounts(db)
  if (accounts.length === 0)
    return 'There is no account yet: open the panel and use the token of `reeve setup-token`.\n'
  const lines = accounts.map(
    ({ email, role, two_factor }) => `${email}\t${role}\t${two_factor ? 'two-factor on' : 'two-factor off'}`,
  )
  return `${lines.join('\n')}\n\n${usage}`
}

async function resetPassword(db: Database, email: string, isTwoFactorDisabled: boolean): Promise<string> {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'email', 'totp_seed'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!account) {
    throw new AppError('not_found', `There is no account ${email}. \`reeve recover-admin\` lists them.`)
  }
  const password = newPassword()
  const password_hash = await createPasswordHasher().hash(password)
  await db.transaction().execute(async (transaction) => {
    await transaction.updateTable('accounts').set({ password_hash }).where('id', '=', account.id).execute()
    await transaction.deleteFrom('sessions').where('account_id', '=', account.id).execute()
    if (isTwoFactorDisabled) await switchOffTwoFactor(transaction, account.id)
    await recordAudit(transaction, {
      actor: 'root on the host',
      action: isTwoFactorDisabled ? 'recoverAdmin --disable-2fa' : 'recoverAdmin',
      target: account.email,
      site_id: null,
      address: null,
      result: 'ok',
      status: null,
      reason: null,
      request_id: null,
    })
  })
  const stillOn = account.totp_seed !== null && !isTwoFactorDisabled
  const hint = stillOn ? 'Two-factor authentication is still on; --disable-2fa switches it off.\n' : ''
  return `New password of ${account.email}: ${password}\nAll its sessions have ended.\n${hint}`
}

/** 24 letters and digits that are not mistaken for each other: 117 bits. */
function newPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const groups = Array.from({ length: 4 }, () =>
    Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join(''),
  )
  return groups.join('-')
}
