import { completeSetup, getBootstrap, getMe, login, logout } from '@reeve/contract/accounts.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { Context } from '../context.ts'
import { notFound } from '../scope.ts'
import { type Api, route } from '../route.ts'
import { version } from '../version.ts'
import { countAccounts, createAccount, getAccount } from './accounts.ts'
import { announceSessions } from './announce.ts'
import { signIn } from './login.ts'
import { endedCookie } from './sessions.ts'
import { isSetupToken, removeSetupToken } from './setup-token.ts'

export function accountRoutes(api: Api): void {
  const { context } = api
  const { config, db, events } = context

  route(api, getBootstrap, async () => ({
    setup_complete: (await countAccounts(db)) > 0,
    hostname: config.hostname,
    version,
  }))

  route(api, completeSetup, async ({ body, audit }) => {
    audit.claimedEmail = body.email
    const id = await setUp(context, body)
    return await getAccount(db, id)
  })

  route(api, login, async ({ body, address, request, reply, audit }) => {
    audit.claimedEmail = body.email
    const { accountId, cookies } = await signIn(context, body, address, request.headers)
    reply.header('set-cookie', cookies)
    announceSessions(events, accountId)
    return await getAccount(db, accountId)
  })

  route(api, logout, async ({ caller, reply }) => {
    await db.deleteFrom('sessions').where('id', '=', caller.sessionId).execute()
    reply.header('set-cookie', endedCookie)
    announceSessions(events, caller.accountId)
    return undefined
  })

  route(api, getMe, async ({ caller }) => {
    const account = await getAccount(db, caller.accountId)
    if (!account) throw notFound()
    return account
  })
}

async function setUp(
  { config, db, passwords }: Context,
  body: { token: string; email: string; password: string },
): Promise<string> {
  if ((await countAccounts(db)) > 0) throw setupIsDone()
  if (!isSetupToken(config.paths.setupToken, body.token)) {
    throw new AppError('forbidden', `This is not the setup token; it is in ${config.paths.setupToken}.`, {
      field: 'token',
    })
  }
  const passwordHash = await passwords.hash(body.password)
  const id = await db.transaction().execute(async (transaction) => {
    // Asked again: of many requests with the same token, one gets here first.
    if ((await countAccounts(transaction)) > 0) throw setupIsDone()
    return await createAccount(transaction, { email: body.email, role: 'admin', passwordHash, siteIds: [] })
  })
  removeSetupToken(config.paths.setupToken)
  return id
}

const setupIsDone = () => new AppError('conflict', 'The setup is complete already. Sign in instead.')
