// Signing in: password, then the second factor when the account has one, then a fresh session.
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '@reeve/contract/errors.ts'
import type { Context } from '../context.ts'
import { deviceCookieFor, knownDevice } from './known-device.ts'
import { createSession } from './sessions.ts'
import { sourceNetwork, type ThrottleKey } from './throttle.ts'
import { spendCode } from './two-factor.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
  readonly totp?: string | undefined
}

export async function signIn(
  context: Context,
  credentials: Credentials,
  address: string,
  headers: IncomingHttpHeaders,
): Promise<{ accountId: string; cookies: string[] }> {
  const { db, passwords, secrets, throttle } = context
  const email = credentials.email.toLowerCase()
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'password_hash', 'totp_seed'])
    .where('email', '=', email)
    .executeTakeFirst()
  const device = account && knownDevice(secrets, account.id, headers.cookie)
  const keys = throttleKeys(email, address, device)
  throttle.attempt(keys)
  const isRight = await passwords
    .verify(credentials.password, account?.password_hash, device === undefined ? undefined : 'known-device')
    .catch((error: unknown) => {
      // Turned away by the queue: nothing was tried.
      throttle.forgive(keys)
      throw error
    })
  if (!account || !isRight) throw wrongCredentials()
  if (account.totp_seed !== null && credentials.totp === undefined) {
    // The password was right, so this was no guess; but it must not wipe the count of wrong codes either.
    throttle.forgive(keys)
    throw codeRequired('Enter the code of your authenticator app.')
  }
  const session = await beginSession(context, account.id, credentials, address, headers)
  throttle.succeeded(keys)
  return { accountId: account.id, cookies: [session.cookie, deviceCookieFor(secrets, account.id, device)] }
}

/** A known device is counted by itself, so that nobody else's wrong passwords delay it. */
function throttleKeys(email: string, address: string, device: string | undefined): ThrottleKey[] {
  if (device !== undefined) return [{ kind: 'device', name: device }]
  return [
    { kind: 'account', name: email },
    { kind: 'source', name: sourceNetwork(address) },
  ]
}

// The code is spent and the session made in one transaction: of many logins with one code, one gets in.
async function beginSession(
  { db, secrets }: Context,
  accountId: string,
  credentials: Credentials,
  address: string,
  headers: IncomingHttpHeaders,
) {
  return await db.transaction().execute(async (transaction) => {
    const account = await transaction
      .selectFrom('accounts')
      .select(['id', 'totp_seed', 'totp_last_step'])
      .where('id', '=', accountId)
      .executeTakeFirst()
    if (!account) throw wrongCredentials()
    const { totp_seed } = account
    if (totp_seed !== null) {
      const isSpent = await spendCode(transaction, secrets, { ...account, totp_seed }, credentials.totp ?? '')
      if (!isSpent) throw codeRequired('This code is not right or was used already. Wait for the next one.')
    }
    return await createSession(transaction, { accountId, address, userAgent: headers['user-agent'] ?? null })
  })
}

const wrongCredentials = () => new AppError('unauthenticated', 'The e-mail or password is not right.')

const codeRequired = (message: string) => new AppError('unauthenticated', message, { totp_required: true })
