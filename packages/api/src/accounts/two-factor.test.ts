import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Panel, password, startPanel } from '../testing/panel.ts'
import { cookieOf, countStatus, freeSource } from '../testing/sign-in.ts'
import { timeStep, totpCode } from './totp.ts'

let panel: Panel
beforeAll(async () => {
  panel = await startPanel()
})
afterAll(() => panel[Symbol.asyncDispose]())

const login = (email: string, more: object = {}, headers: Record<string, string> = {}) =>
  panel.send('POST', '/api/login', { body: { email, password, ...more }, headers })
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

describe('two-factor authentication', () => {
  const decode = (secret: string) => {
    const bits = secret
      .split('')
      .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    return Buffer.from(
      bits
        .join('')
        .match(/.{8}/g)
        ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
    )
  }
  async function enrol() {
    const user = await panel.signedIn('admin')
    freeSource(panel)
    const begin = await panel.send('POST', '/api/account/2fa/begin', { cookie: user.cookie })
    const seed = decode(String(begin.json['secret']))
    // Counted from one moment: the next step may begin at any line of a test.
    const step = timeStep(Date.now())
    const code = (away: number) => totpCode(seed, step + away)
    const confirm = await panel.send('POST', '/api/account/2fa/confirm', {
      cookie: user.cookie,
      body: { code: code(-1) },
    })
    expect(confirm.status).toBe(200)
    return { user, code, recovery: confirm.json['recovery_codes'] as string[] }
  }

  test('asks for a code, takes each once, and no older one after a newer', async () => {
    const { user, code } = await enrol()
    const without = await login(user.email)
    expect(without.status).toBe(401)
    expect(without.json['totp_required']).toBe(true)
    expect((await login(user.email, { totp: code(-1) })).status).toBe(401)
    expect((await login(user.email, { totp: code(1) })).status).toBe(200)
    expect((await login(user.email, { totp: code(1) })).status).toBe(401)
    expect((await login(user.email, { totp: code(0) })).status).toBe(401)
  })

  test('beginning again while it is on changes nothing', async () => {
    const { user, code } = await enrol()
    const read = () =>
      panel.context.db
        .selectFrom('accounts')
        .selectAll()
        .where('id', '=', user.accountId)
        .executeTakeFirstOrThrow()
    const before = await read()
    expect(before.totp_seed).not.toBeNull()
    expect((await panel.send('POST', '/api/account/2fa/begin', { cookie: user.cookie })).status).toBe(409)
    expect(await read()).toEqual(before)
    expect((await login(user.email, { totp: code(0) })).status).toBe(200)
  })

  test('is confirmed only with a right code and switched off only with the own password', async () => {
    const user = await panel.signedIn('readonly')
    await panel.send('POST', '/api/account/2fa/begin', { cookie: user.cookie })
    const confirm = { cookie: user.cookie, body: { code: '000000' } }
    const answer = await panel.send('POST', '/api/account/2fa/confirm', confirm)
    expect(answer.status).toBe(400)
    expect((await panel.send('GET', '/api/me', { cookie: user.cookie })).json['two_factor']).toBe(false)
    const enrolled = await enrol()
    const disable = (given: string) =>
      panel.send('POST', '/api/account/2fa/disable', {
        cookie: enrolled.user.cookie,
        body: { password: given },
      })
    expect((await disable('wrong')).status).toBe(403)
    expect((await login(enrolled.user.email)).json['totp_required']).toBe(true)
    expect((await disable(password)).status).toBe(204)
    expect((await login(enrolled.user.email)).status).toBe(200)
  })

  test('switching it on or off ends the other sessions', async () => {
    const { user, code } = await enrol()
    const second = cookieOf(await login(user.email, { totp: code(0) }))
    const disable = { cookie: second, body: { password } }
    expect((await panel.send('POST', '/api/account/2fa/disable', disable)).status).toBe(204)
    expect((await panel.send('GET', '/api/me', { cookie: user.cookie })).status).toBe(401)
    const third = cookieOf(await login(user.email))
    const begin = await panel.send('POST', '/api/account/2fa/begin', { cookie: third })
    const now = totpCode(decode(String(begin.json['secret'])), timeStep(Date.now()))
    const confirm = { cookie: third, body: { code: now } }
    expect((await panel.send('POST', '/api/account/2fa/confirm', confirm)).status).toBe(200)
    expect((await panel.send('GET', '/api/me', { cookie: second })).status).toBe(401)
    expect((await panel.send('GET', '/api/me', { cookie: third })).status).toBe(200)
  })

  test('guessing codes is slowed down, whatever is sent in between with the right password', async () => {
    const { user } = await enrol()
    const answers: number[] = []
    for (let guess = 0; guess < 20; guess++) {
      answers.push((await login(user.email)).status)
      answers.push((await login(user.email, { totp: '000000' })).status)
    }
    expect(answers).toContain(429)
    expect(answers.filter((status) => status === 200)).toEqual([])
    freeSource(panel)
  })

  test('one code, or one recovery code, lets one of many logins in', async () => {
    const { user, code, recovery } = await enrol()
    expect(recovery).toHaveLength(10)
    const device = cookieOf(await login(user.email, { totp: recovery[0] ?? '' }), '__Host-reeve-device=')
    expect((await login(user.email, { totp: recovery[0] ?? '' })).status).toBe(401)
    const compete = async (totp: string) => {
      const keys = [{ kind: 'device' as const, name: device.split(/[=.]/)[1] ?? '' }]
      // The delays are tested above; here all of them shall reach the code.
      const rounds = await Promise.all(
        Array.from({ length: 60 }, () => {
          panel.context.throttle.succeeded(keys)
          return login(user.email, { totp }, { cookie: device })
        }),
      )
      panel.context.throttle.succeeded(keys)
      return rounds
    }
    const withCode = await compete(code(0))
    expect(countStatus(withCode, 200)).toBe(1)
    expect(countStatus(withCode, 401)).toBeGreaterThan(1)
    for (const spare of recovery.slice(1, 4)) {
      const answers = await compete(spare.toUpperCase().replace('-', ' '))
      expect(statuses(answers).filter((status) => status === 200)).toHaveLength(1)
    }
  })

  test('the seed lies encrypted in the database', async () => {
    const user = await panel.signedIn('admin')
    const begin = await panel.send('POST', '/api/account/2fa/begin', { cookie: user.cookie })
    const seed = decode(String(begin.json['secret']))
    const row = await panel.context.db
      .selectFrom('accounts')
      .select('totp_pending')
      .where('id', '=', user.accountId)
      .executeTakeFirstOrThrow()
    const stored = Buffer.from(row.totp_pending ?? [])
    expect(seed).toHaveLength(20)
    expect(stored.length).toBe(12 + 20 + 16)
    expect(stored.includes(seed)).toBe(false)
    expect(() => panel.context.secrets.decrypt(stored, 'another account')).toThrow()
  })
})
