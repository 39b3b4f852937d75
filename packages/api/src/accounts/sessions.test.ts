import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Panel, password, type SignedIn, startPanel } from '../testing/panel.ts'

let panel: Panel
let user: SignedIn
beforeAll(async () => {
  panel = await startPanel()
  user = await panel.signedIn('readonly')
})
afterAll(() => panel[Symbol.asyncDispose]())

const day = 24 * 60 * 60 * 1000
const read = (id: string) =>
  panel.context.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst()
const me = () => panel.send('GET', '/api/me', { cookie: user.cookie })

describe('a session', () => {
  test('lasts 24 hours from the sign-in, however much it is used', async () => {
    const before = await read(user.sessionId)
    expect(Date.parse(before?.expires_at ?? '') - Date.parse(before?.created_at ?? '')).toBe(day)
    for (let visit = 0; visit < 5; visit++) {
      const answer = await me()
      expect(answer.status).toBe(200)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(await read(user.sessionId)).toEqual(before)
  })

  test('is over in the millisecond in which it ends', async () => {
    const { db } = panel.context
    const expireAt = (at: number) =>
      db
        .updateTable('sessions')
        .set({ expires_at: new Date(at).toISOString() })
        .where('id', '=', user.sessionId)
        .execute()
    await expireAt(Date.now() + day)
    expect((await me()).status).toBe(200)
    await expireAt(Date.now())
    expect((await me()).status).toBe(401)
  })

  test('is told by its address, program, age and end, never by its token', async () => {
    const headers = { 'user-agent': 'A browser' }
    const login = await panel.send('POST', '/api/login', { body: { email: user.email, password }, headers })
    const cookie = [login.headers['set-cookie'] ?? []].flat()[0]?.split(';')[0] ?? ''
    const { json, text } = await panel.send('GET', '/api/account/sessions', { cookie })
    const [session] = json['sessions'] as Record<string, string>[]
    expect(session).toMatchObject({ current: true, address: '127.0.0.1', user_agent: 'A browser' })
    expect(Date.parse(session?.['expires_at'] ?? '') - Date.parse(session?.['created_at'] ?? '')).toBe(day)
    expect(Math.abs(Date.now() - Date.parse(session?.['created_at'] ?? ''))).toBeLessThan(60_000)
    expect(text).not.toContain(cookie.split('=')[1])
  })
})
