// Sessions: the cookie holds 256 random bits, the database only their SHA-256. Who the caller is and what
// they may see is read afresh on every request, so a change of role or sites holds from the next one.
import type { AccountRole, Session } from '@reeve/contract/accounts.ts'
import type { DatabaseOrTransaction } from '../db/types.ts'
import { newId, newToken } from '../ids.ts'
import { sha256 } from './secrets.ts'

export const sessionCookie = '__Host-reeve'
const lifetimeMs = 24 * 60 * 60 * 1000

/** A signed-in account and the request's origin. */
export interface Caller {
  readonly accountId: string
  readonly email: string
  readonly role: AccountRole
  /** The sites an operator may touch; unused for the other roles, who see all. */
  readonly siteIds: ReadonlySet<string>
  readonly sessionId: string
}

export const seesAllSites = (caller: Caller): boolean => caller.role !== 'operator'
export const seesSite = (caller: Caller, siteId: string): boolean =>
  seesAllSites(caller) || caller.siteIds.has(siteId)

export async function createSession(
  db: DatabaseOrTransaction,
  session: { accountId: string; address: string; userAgent: string | null },
): Promise<{ cookie: string; id: string }> {
  const token = newToken()
  const id = newId('e')
  const now = Date.now()
  await db
    .insertInto('sessions')
    .values({
      id,
      token_sha256: sha256(token),
      account_id: session.accountId,
      address: session.address,
      user_agent: session.userAgent?.slice(0, 300) ?? null,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + lifetimeMs).toISOString(),
    })
    .execute()
  return { id, cookie: setCookie(token, lifetimeMs / 1000) }
}

export const endedCookie = setCookie('', 0)

function setCookie(value: string, maxAgeS: number): string {
  return `${sessionCookie}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; Secure; SameSite=Strict`
}

/** Reads one cookie by name; a header with two of that name is not believed. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined
}

export async function findCaller(
  db: DatabaseOrTransaction,
  token: string | undefined,
): Promise<Caller | undefined> {
  if (!token || !/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined
  return await readCaller(db, 'token_sha256', sha256(token))
}

/** The caller of an open event stream, or undefined when the session has ended. */
export const findCallerBySession = (db: DatabaseOrTransaction, sessionId: string) =>
  readCaller(db, 'id', sessionId)

async function readCaller(
  db: DatabaseOrTransaction,
  column: 'token_sha256' | 'id',
  value: string,
): Promise<Caller | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['sessions.id', 'accounts.id as account_id', 'accounts.email', 'accounts.role'])
    .where(`sessions.${column}`, '=', value)
    .where('sessions.expires_at', '>', new Date().toISOString())
    .executeTakeFirst()
  if (!row) return undefined
  const sites =
    row.role === 'operator'
      ? await db
          .selectFrom('account_sites')
          .select('site_id')
          .where('account_id', '=', row.account_id)
          .execute()
      : []
  return {
    accountId: row.account_id,
    email: row.email,
    role: row.role,
    siteIds: new Set(sites.map(({ site_id }) => site_id)),
    sessionId: row.id,
  }
}

export async function listSessionsOf(db: DatabaseOrTransaction, caller: Caller): Promise<Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'address', 'user_agent', 'created_at', 'expires_at'])
    .where('account_id', '=', caller.accountId)
    .where('expires_at', '>', new Date().toISOString())
    .orderBy('created_at', 'desc')
    .execute()
  const sessions = rows.map((row) => ({ ...row, current: row.id === caller.sessionId }))
  return [...sessions.filter(({ current }) => current), ...sessions.filter(({ current }) => !current)]
}

/** Deletes what can no longer be used; run daily. */
export async function deleteExpiredSessions(db: DatabaseOrTransaction): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', new Date().toISOString()).execute()
}
