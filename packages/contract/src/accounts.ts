import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { AccountId, Email, SiteId, Timestamp } from './primitives.ts'

export const AccountRole = z.enum(['admin', 'operator', 'readonly'])
export type AccountRole = z.infer<typeof AccountRole>

export const Account = z.object({
  id: AccountId,
  email: z.string(),
  role: AccountRole,
  /** The sites an operator may see and touch; empty for the other roles. */
  site_ids: z.array(SiteId),
  two_factor: z.boolean(),
  created_at: Timestamp,
})
export type Account = z.infer<typeof Account>

/** At least 12 characters; length beats composition rules (NIST SP 800-63B). */
export const NewPassword = z.string().min(12, 'needs at least 12 characters').max(200)

export const getBootstrap = endpoint({
  name: 'getBootstrap',
  summary: 'Whether the initial setup is complete',
  method: 'GET',
  path: '/api/bootstrap',
  role: 'open',
  response: z.object({ setup_complete: z.boolean(), hostname: z.string(), version: z.string() }),
})

export const completeSetup = endpoint({
  name: 'completeSetup',
  summary: 'Consume the one-time token and create the first administrator',
  method: 'POST',
  path: '/api/setup',
  role: 'open',
  body: z.strictObject({ token: z.string().min(1).max(200), email: Email, password: NewPassword }),
  response: Account,
  status: 201,
})

export const login = endpoint({
  name: 'login',
  summary: 'Sign in; sets the session cookie',
  method: 'POST',
  path: '/api/login',
  role: 'open',
  body: z.strictObject({
    email: z.string().min(1).max(254),
    password: z.string().min(1).max(200),
    totp: z.string().min(1).max(40).optional(),
  }),
  response: Account,
})

export const logout = endpoint({
  name: 'logout',
  worksWithoutAgent: true,
  summary: 'End this session',
  method: 'POST',
  path: '/api/logout',
  role: 'auth',
  status: 204,
})

export const getMe = endpoint({
  name: 'getMe',
  summary: 'The signed-in account and what it may do here',
  method: 'GET',
  path: '/api/me',
  role: 'auth',
  response: Account,
})

/** Names a session without being its token. */
export const SessionId = z.string().regex(/^e[a-z2-7]{15}$/, 'is not a session id')
export type SessionId = z.infer<typeof SessionId>

export const Session = z.object({
  id: SessionId,
  /** The session this request was made with. */
  current: z.boolean(),
  address: z.string(),
  user_agent: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type Session = z.infer<typeof Session>

export const changePassword = endpoint({
  name: 'changePassword',
  summary: 'Change the own password; every other session of the account ends',
  method: 'POST',
  path: '/api/account/password',
  role: 'auth',
  body: z.strictObject({ current_password: z.string().min(1).max(200), new_password: NewPassword }),
  status: 204,
})

export const beginTwoFactor = endpoint({
  name: 'beginTwoFactor',
  summary: 'Start TOTP enrolment; answers the secret once',
  method: 'POST',
  path: '/api/account/2fa/begin',
  role: 'auth',
  response: z.object({ secret: z.string(), otpauth_url: z.string() }),
})

export const confirmTwoFactor = endpoint({
  name: 'confirmTwoFactor',
  summary: 'Switch two-factor authentication on; answers the recovery codes once',
  method: 'POST',
  path: '/api/account/2fa/confirm',
  role: 'auth',
  body: z.strictObject({ code: z.string().min(6).max(10) }),
  response: z.object({ recovery_codes: z.array(z.string()) }),
})

export const disableTwoFactor = endpoint({
  name: 'disableTwoFactor',
  summary: 'Switch two-factor authentication off',
  method: 'POST',
  path: '/api/account/2fa/disable',
  role: 'auth',
  body: z.strictObject({ password: z.string().min(1).max(200) }),
  status: 204,
})

export const listSessions = endpoint({
  name: 'listSessions',
  summary: 'Own active sessions, this one first',
  method: 'GET',
  path: '/api/account/sessions',
  role: 'auth',
  response: z.object({ sessions: z.array(Session) }),
})

export const revokeSession = endpoint({
  name: 'revokeSession',
  summary: 'End one of the own sessions',
  method: 'DELETE',
  path: '/api/account/sessions/{id}',
  role: 'auth',
  params: z.strictObject({ id: SessionId }),
  status: 204,
})

const AccountParams = z.strictObject({ id: AccountId })
/** An operator needs sites; the other roles see all of them and may name none. */
const SiteIds = z.array(SiteId).max(1000)

export const listUsers = endpoint({
  name: 'listUsers',
  summary: 'All accounts',
  method: 'GET',
  path: '/api/users',
  role: 'global',
  response: z.object({ users: z.array(Account) }),
})

export const createUser = endpoint({
  name: 'createUser',
  summary: 'Create an account; an operator needs `site_ids`',
  method: 'POST',
  path: '/api/users',
  role: 'admin',
  body: z.strictObject({
    email: Email,
    password: NewPassword,
    role: AccountRole,
    site_ids: SiteIds.optional(),
  }),
  response: Account,
  status: 201,
})

export const updateUser = endpoint({
  name: 'updateUser',
  summary: 'Change the role and sites of an account',
  method: 'PUT',
  path: '/api/users/{id}',
  role: 'admin',
  params: AccountParams,
  body: z.strictObject({ role: AccountRole, site_ids: SiteIds.optional() }),
  response: Account,
})

export const deleteUser = endpoint({
  name: 'deleteUser',
  summary: 'Delete an account with its sessions',
  method: 'DELETE',
  path: '/api/users/{id}',
  role: 'admin',
  params: AccountParams,
  status: 204,
})
