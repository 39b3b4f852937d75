// Every endpoint × every kind of caller: the exact status, and no agent call on a refusal.
import type { EndpointDefinition, Role } from '@reeve/contract/endpoint.ts'
import { endpoints } from '@reeve/contract/endpoints.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deviceCookieFor } from './accounts/known-device.ts'
import { newId, newToken } from './ids.ts'
import { password, type Panel, type SignedIn, startPanel } from './testing/panel.ts'
import { type AddedSite, addSite } from './testing/site.ts'

let panel: Panel
beforeAll(async () => {
  panel = await startPanel()
  await panel.signedIn('admin')
})
afterAll(() => panel[Symbol.asyncDispose]())

/** What one cell works on; made anew for each, because some of them delete it. */
interface Fixture extends AddedSite {
  readonly user: SignedIn
  readonly caller: SignedIn | undefined
}

let made = 0

interface Sample {
  readonly path?: string
  readonly body?: unknown
  /** When a caller with the right role gets another status than the definition's. */
  readonly status?: number
}

const somePublicKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`

/** What a valid request needs beyond the ids in its path. Every endpoint with a body is in here. */
const samples: Readonly<Record<string, (fixture: Fixture) => Sample>> = {
  completeSetup: () => ({ body: { token: 'x', email: 'x@example.test', password }, status: 409 }),
  login: ({ user }) => ({ body: { email: user.email, password } }),
  changePassword: () => ({ body: { current_password: password, new_password: 'another long password' } }),
  confirmTwoFactor: () => ({ body: { code: '000000' }, status: 409 }),
  disableTwoFactor: () => ({ body: { password } }),
  revokeSession: ({ caller }) => ({ path: `/api/account/sessions/${caller?.sessionId ?? newId('e')}` }),
  createUser: () => ({ body: { email: `new${++made}@example.test`, password, role: 'readonly' } }),
  updateUser: ({ user }) => ({ path: `/api/users/${user.accountId}`, body: { role: 'admin' } }),
  getServerLog: () => ({ path: '/api/logs?source=agent' }),
  deleteUser: ({ user }) => ({ path: `/api/users/${user.accountId}` }),
  setSftp: () => ({ body: { enabled: true } }),
  addSshKey: () => ({ body: { public_key: somePublicKey } }),
  deleteSshKey: ({ siteId }) => ({ path: `/api/sites/${siteId}/ssh-keys/${'A'.repeat(43)}` }),
  createCronJob: () => ({ body: { schedule: '@daily', command: 'true' } }),
  updateSiteConfig: () => ({ body: { hsts: true } }),
  resolveDrift: () => ({ path: `/api/system/drift/${newId('d')}/resolve`, body: { action: 'restore' } }),
  updateSitePhp: () => ({ body: { memory_limit_mb: 512 } }),
  purgeCache: () => ({ body: { all: true } }),
  connectorPurge: () => ({ body: { all: true } }),
  createSite: () => ({ body: { domain: `made${++made}.example.test`, type: 'static' } }),
}

function sampleOf(endpoint: EndpointDefinition, fixture: Fixture): Required<Sample> {
  const given = samples[endpoint.name]?.(fixture) ?? {}
  const id = { site: fixture.siteId, task: fixture.taskId, cron: fixture.cronId }[endpoint.scope ?? 'site']
  return { path: endpoint.path.replace('{id}', id), body: undefined, status: endpoint.status, ...given }
}

interface Principal {
  readonly name: string
  make(site: AddedSite): Promise<{ signedIn?: SignedIn; headers?: Record<string, string> }>
  /** Roles of endpoints it may call; for `manage` and `auth` its reach decides further. */
  readonly roles: readonly Role[]
  readonly seesSite: boolean
  readonly isSignedIn: boolean
}

const signedInRoles = {
  admin: ['open', 'auth', 'manage', 'global', 'admin'],
  operator: ['open', 'auth', 'manage'],
  readonly: ['open', 'auth', 'global'],
} as const satisfies Record<string, readonly Role[]>

const live = (name: string, role: 'admin' | 'operator' | 'readonly', isAssigned: boolean): Principal => ({
  name,
  make: async ({ siteId }) => ({ signedIn: await panel.signedIn(role, isAssigned ? [siteId] : []) }),
  roles: signedInRoles[role],
  seesSite: role !== 'operator' || isAssigned,
  isSignedIn: true,
})

/** An admin whose session is worth nothing any more. */
const dead = (name: string, kill: (was: SignedIn) => Promise<unknown>): Principal => ({
  name,
  async make() {
    const signedIn = await panel.signedIn('admin')
    await kill(signedIn)
    return { signedIn }
  },
  roles: ['open'],
  seesSite: false,
  isSignedIn: false,
})

const withHeaders = (
  name: string,
  headers: (site: AddedSite) => Promise<Record<string, string>>,
  roles: readonly Role[] = ['open'],
): Principal => ({
  name,
  make: async (site) => ({ headers: await headers(site) }),
  roles,
  seesSite: false,
  isSignedIn: false,
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const principals: readonly Principal[] = [
  withHeaders('anonymous', async () => ({})),
  live('readonly', 'readonly', false),
  live('operator, assigned', 'operator', true),
  live('operator, not assigned', 'operator', false),
  live('admin', 'admin', false),
  dead('expired session', ({ sessionId }) =>
    panel.context.db
      .updateTable('sessions')
      .set({ expires_at: new Date(Date.now() - 1).toISOString() })
      .where('id', '=', sessionId)
      .execute(),
  ),
  dead('revoked session', ({ sessionId }) =>
    panel.context.db.deleteFrom('sessions').where('id', '=', sessionId).execute(),
  ),
  dead('deleted account', ({ accountId }) =>
    panel.context.db.deleteFrom('accounts').where('id', '=', accountId).execute(),
  ),
  withHeaders('password only, second factor pending', async () => {
    const { accountId, email } = await panel.signedIn('admin')
    const seed = panel.context.secrets.encrypt(Buffer.alloc(20, 1), accountId)
    await panel.context.db
      .updateTable('accounts')
      .set({ totp_seed: seed })
      .where('id', '=', accountId)
      .execute()
    const answer = await panel.send('POST', '/api/login', { body: { email, password } })
    expect(answer.status).toBe(401)
    expect(answer.json['totp_required']).toBe(true)
    expect(answer.headers['set-cookie']).toBeUndefined()
    return { cookie: deviceCookieFor(panel.context.secrets, accountId).split(';')[0] ?? '' }
  }),
  withHeaders("the site's own connector token", async ({ connectorToken }) => bearer(connectorToken), [
    'open',
    'connector',
  ]),
  withHeaders(
    "another site's connector token",
    async () => bearer((await addSite(panel)).connectorToken),
    // It is good for that other site alone, whatever the request names.
    ['open', 'connector'],
  ),
  withHeaders('a connector token of no site', async () => bearer(newToken())),
]

function expectedStatus(endpoint: EndpointDefinition, principal: Principal, allowed: number): number {
  if (endpoint.role === 'open') return allowed
  if (endpoint.role === 'connector') return principal.roles.includes('connector') ? allowed : 401
  if (!principal.isSignedIn) return 401
  if (!principal.roles.includes(endpoint.role)) return 403
  return endpoint.scope !== undefined && !principal.seesSite ? 404 : allowed
}

let cells = 0

describe.each(endpoints.map((endpoint) => ({ endpoint, title: `${endpoint.method} ${endpoint.path}` })))(
  '$title',
  ({ endpoint }) => {
    test.each(principals)('$name', async (principal) => {
      const site = await addSite(panel)
      const { signedIn, headers } = await principal.make(site)
      const fixture = { ...site, user: await panel.signedIn('readonly'), caller: signedIn }
      const { path, body, status } = sampleOf(endpoint, fixture)
      const expected = expectedStatus(endpoint, principal, status)
      await panel.context.audit.flush()
      const before = panel.agent.calls.length
      const options = { cookie: signedIn?.cookie, headers: headers ?? {}, body }
      const answer =
        endpoint.produces === 'event-stream' && expected === 200
          ? await firstBytes(path, signedIn?.cookie ?? '')
          : await panel.send(endpoint.method, path, options)
      expect(answer.status).toBe(expected)
      if (expected === 401 || expected === 403 || expected === 404) {
        expect(panel.agent.calls.slice(before).filter((name) => !name.startsWith('audit.'))).toEqual([])
      }
      await panel.context.tasks.idle()
      cells++
    })
  },
)

async function firstBytes(path: string, cookie: string): Promise<{ status: number }> {
  const stop = new AbortController()
  const response = await fetch(`http://127.0.0.1:${panel.port}${path}`, {
    headers: { cookie },
    signal: stop.signal,
  })
  stop.abort()
  return { status: response.status }
}

test('the matrix is complete', () => {
  console.log(`authorization cells: ${cells}`)
  expect(cells).toBe(endpoints.length * principals.length)
})

test('what an operator may not see answers like what never existed, headers and all', async () => {
  const { siteId, taskId, cronId } = await addSite(panel)
  const operator = await panel.signedIn('operator')
  const scoped = endpoints.filter(({ scope, role }) => scope !== undefined && role !== 'connector')
  const hiddenIds = { site: [siteId, 's'], task: [taskId, 't'], cron: [cronId, 'c'] } as const
  expect(scoped.length).toBeGreaterThan(2)
  for (const endpoint of scoped) {
    const [hiddenId, kind] = hiddenIds[endpoint.scope ?? 'site']
    const ids = [hiddenId, newId(kind), 'nonsense']
    const answers = await Promise.all(
      ids.map((id) =>
        panel.send(endpoint.method, endpoint.path.replace('{id}', id), { cookie: operator.cookie }),
      ),
    )
    const [hidden, ...others] = answers.map(({ status, text, headers }) => {
      const { date: _, ...rest } = headers
      return { status, text, headers: rest }
    })
    expect(hidden?.status).toBe(404)
    for (const other of others) expect(other).toEqual(hidden)
  }
})
