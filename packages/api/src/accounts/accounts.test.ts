import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Panel, password, type SignedIn, startPanel } from '../testing/panel.ts'
import { cookieOf, countStatus, freeSource } from '../testing/sign-in.ts'
import { knownDevice } from './known-device.ts'

let panel: Panel
beforeAll(async () => {
  panel = await startPanel()
})
afterAll(() => panel[Symbol.asyncDispose]())

const login = (email: string, more: object = {}, headers: Record<string, string> = {}) =>
  panel.send('POST', '/api/login', { body: { email, password, ...more }, headers })

describe('the setup', () => {
  test('refuses a wrong token and keeps the right one', async () => {
    const body = { token: 'x'.repeat(43), email: 'first@example.test', password }
    expect((await panel.send('POST', '/api/setup', { body })).status).toBe(403)
    expect(panel.setupToken()).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test('is complete with the first account, and its token is gone', async () => {
    const body = { token: panel.setupToken(), email: 'first@example.test', password }
    expect((await panel.send('POST', '/api/setup', { body })).status).toBe(201)
    expect(readdirSync(panel.context.config.paths.state)).not.toContain('setup-token')
    expect((await panel.send('GET', '/api/bootstrap')).json['setup_complete']).toBe(true)
    expect((await panel.send('POST', '/api/setup', { body })).status).toBe(409)
  })
})

describe('signing in', () => {
  let user: SignedIn
  beforeAll(async () => {
    user = await panel.signedIn('readonly')
  })

  test('sets a fresh cookie that no preset one decides', async () => {
    const preset = `__Host-reeve=${'a'.repeat(43)}`
    const answer = await panel.send('POST', '/api/login', {
      body: { email: user.email.toUpperCase(), password },
      headers: { cookie: preset },
    })
    expect(answer.status).toBe(200)
    const header = [answer.headers['set-cookie'] ?? []].flat()[0] ?? ''
    expect(header).toMatch(/; Path=\/; Max-Age=86400; HttpOnly; Secure; SameSite=Strict$/)
    expect(cookieOf(answer)).not.toBe(preset)
    expect((await panel.send('GET', '/api/me', { cookie: preset })).status).toBe(401)
    expect((await panel.send('GET', '/api/me', { cookie: cookieOf(answer) })).json['email']).toBe(user.email)
  })

  test('says the same for a wrong password and an unknown e-mail', async () => {
    const wrong = await login(user.email, { password: 'not this one' })
    const unknown = await login('nobody@example.test', { password: 'not this one' })
    expect(wrong.status).toBe(401)
    expect(wrong.text).toBe(unknown.text)
  })

  test.each([
    ['two cookies of the name', (cookie: string) => `${cookie}; ${cookie}`],
    ['a cut one', (cookie: string) => cookie.slice(0, -1)],
    ['a long one', (cookie: string) => cookie + 'a'.repeat(8000)],
    ['another name', (cookie: string) => cookie.replace('__Host-reeve', 'reeve')],
  ])('%s is no session', async (_name, change) => {
    expect((await panel.send('GET', '/api/me', { cookie: change(user.cookie) })).status).toBe(401)
  })

  test('ends at once with the logout', async () => {
    const answer = await login(user.email)
    const cookie = cookieOf(answer)
    const out = await panel.send('POST', '/api/logout', { cookie })
    expect(out.status).toBe(204)
    expect(out.text).toBe('')
    expect((await panel.send('GET', '/api/me', { cookie })).status).toBe(401)
  })

  test('slows wrong passwords down whatever the headers claim; a known device gets in meanwhile', async () => {
    const victim = await panel.signedIn('admin')
    const first = await login(victim.email)
    const device = cookieOf(first, '__Host-reeve-device=')
    const attempts = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        login(victim.email, { password: `guess ${index}` }, { 'x-forwarded-for': `198.51.100.${index}` }),
      ),
    )
    expect(countStatus(attempts, 401)).toBeLessThan(15)
    expect(countStatus(attempts, 401) + countStatus(attempts, 429)).toBe(200)
    // On a busy machine the delay of the last guess may be over by now; the next ones grow until one is refused.
    let refused: Answer
    do refused = await login(victim.email, { password: 'one more guess' })
    while (refused.status === 401)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const started = Date.now()
    expect((await login(victim.email, {}, { cookie: device })).status).toBe(200)
    expect(Date.now() - started).toBeLessThan(5000)
    const other = await panel.signedIn('admin')
    const { secrets } = panel.context
    expect(knownDevice(secrets, victim.accountId, device)).toBeDefined()
    expect(knownDevice(secrets, other.accountId, device)).toBeUndefined()
    expect(knownDevice(secrets, victim.accountId, device.replace('=', '=x'))).toBeUndefined()
  })
})

test('neither the state folder nor the journal holds a live token, in any file', async () => {
  const user = await panel.signedIn('admin')
  const token = user.cookie.split('=')[1] ?? ''
  const { state } = panel.context.config.paths
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    expect(readFileSync(`${file.parentPath}/${file.name}`).includes(token)).toBe(false)
  }
})

describe('own account', () => {
  test('a changed password ends the other sessions and only those', async () => {
    const user = await panel.signedIn('readonly')
    const other = await panel.send('GET', '/api/me', { cookie: user.cookie })
    expect(other.status).toBe(200)
    freeSource(panel)
    const second = cookieOf(await login(user.email))
    const change = (current_password: string) =>
      panel.send('POST', '/api/account/password', {
        cookie: second,
        body: { current_password, new_password: 'a quite different one' },
      })
    expect((await change('wrong')).status).toBe(403)
    expect((await change(password)).status).toBe(204)
    expect((await panel.send('GET', '/api/me', { cookie: user.cookie })).status).toBe(401)
    expect((await panel.send('GET', '/api/me', { cookie: second })).status).toBe(200)
    expect((await login(user.email)).status).toBe(401)
    expect((await login(user.email, { password: 'a quite different one' })).status).toBe(200)
  })

  test('sessions are listed, this one first, and one can be ended; those of others are not there', async () => {
    const user = await panel.signedIn('readonly')
    const stranger = await panel.signedIn('readonly')
    const second = cookieOf(await login(user.email, {}, { 'user-agent': 'A browser' }))
    const list = await panel.send('GET', '/api/account/sessions', { cookie: second })
    const sessions = list.json['sessions'] as { id: string; current: boolean; user_agent: string | null }[]
    expect(sessions.map(({ current }) => current)).toEqual([true, false])
    expect(sessions[0]?.user_agent).toBe('A browser')
    const end = (id: string) => panel.send('DELETE', `/api/account/sessions/${id}`, { cookie: second })
    expect((await end(stranger.sessionId)).status).toBe(404)
    expect((await end(user.sessionId)).status).toBe(204)
    expect((await panel.send('GET', '/api/me', { cookie: user.cookie })).status).toBe(401)
    expect((await panel.send('GET', '/api/me', { cookie: stranger.cookie })).status).toBe(200)
  })
})

describe('users', () => {
  test('the last admin can be neither removed nor demoted', async () => {
    const alone = await startPanel()
    try {
      const admin = await alone.signedIn('admin')
      const path = `/api/users/${admin.accountId}`
      expect((await alone.send('DELETE', path, { cookie: admin.cookie })).status).toBe(409)
      const demote = { cookie: admin.cookie, body: { role: 'readonly' } }
      expect((await alone.send('PUT', path, demote)).status).toBe(409)
      const second = await alone.signedIn('admin')
      const both = await Promise.all([
        alone.send('DELETE', path, { cookie: second.cookie }),
        alone.send('DELETE', `/api/users/${second.accountId}`, { cookie: admin.cookie }),
      ])
      const left = await alone.context.db.selectFrom('accounts').select('role').execute()
      expect(left).toEqual([{ role: 'admin' }])
      expect(countStatus(both, 204)).toBe(1)
    } finally {
      await alone[Symbol.asyncDispose]()
    }
  })

  test('an e-mail is one account, whatever its case', async () => {
    const admin = await panel.signedIn('admin')
    const create = (email: string) =>
      panel.send('POST', '/api/users', { cookie: admin.cookie, body: { email, password, role: 'readonly' } })
    expect((await create('Twice@example.test')).status).toBe(201)
    expect((await create('twice@EXAMPLE.test')).status).toBe(409)
  })

  test.each([
    ['an operator without sites', { role: 'operator' }],
    ['an operator of a site that is not there', { role: 'operator', site_ids: ['saaaaaaaaaaaaaaa'] }],
    ['an admin with sites', { role: 'admin', site_ids: ['saaaaaaaaaaaaaaa'] }],
  ])('%s is refused, naming site_ids', async (_name, more) => {
    const admin = await panel.signedIn('admin')
    const body = { email: 'operator@example.test', password, ...more }
    const answer = await panel.send('POST', '/api/users', { cookie: admin.cookie, body })
    expect(answer.status).toBe(400)
    expect(answer.json['field']).toBe('site_ids')
  })

  test('a new role holds from the next request on', async () => {
    const admin = await panel.signedIn('admin')
    const user = await panel.signedIn('admin')
    expect((await panel.send('GET', '/api/users', { cookie: user.cookie })).status).toBe(200)
    const body = { role: 'operator', site_ids: [] }
    const path = `/api/users/${user.accountId}`
    expect((await panel.send('PUT', path, { cookie: admin.cookie, body })).status).toBe(200)
    expect((await panel.send('GET', '/api/users', { cookie: user.cookie })).status).toBe(403)
    expect((await panel.send('DELETE', path, { cookie: admin.cookie })).status).toBe(204)
    expect((await panel.send('GET', '/api/me', { cookie: user.cookie })).status).toBe(401)
  })
})

describe('the audit trail', () => {
  test('says who did what to what from where, also what was refused, and no password', async () => {
    const admin = await panel.signedIn('admin')
    const reader = await panel.signedIn('readonly')
    await panel.context.audit.flush()
    const before = panel.agent.inputs.length
    const body = { email: 'audited@example.test', password: 'a password to look for', role: 'readonly' }
    await panel.send('POST', '/api/users', { cookie: admin.cookie, body })
    await panel.send('POST', '/api/users', { cookie: reader.cookie, body })
    await panel.context.audit.flush()
    const sent = panel.agent.inputs.slice(before).filter(({ name }) => name === 'audit.append')
    const events = sent.flatMap(({ input }) => (input as { events: Record<string, unknown>[] }).events)
    expect(events).toMatchObject([
      { actor: admin.email, action: 'createUser', target: 'audited@example.test', result: 'ok', status: 201 },
      { actor: reader.email, action: 'createUser', result: 'refused', status: 403, address: '127.0.0.1' },
    ])
    expect(JSON.stringify(events)).not.toContain('a password to look for')
  })

  test('waits for the agent and loses nothing', async () => {
    const admin = await panel.signedIn('admin')
    const before = panel.agent.inputs.length
    await panel.agent.stop()
    await panel.send('POST', '/api/logout', { cookie: admin.cookie })
    await expect(panel.context.audit.flush()).rejects.toThrow('does not answer')
    await panel.agent.start()
    await panel.context.audit.flush()
    expect(JSON.stringify(panel.agent.inputs.slice(before))).toContain(admin.email)
  })
})
