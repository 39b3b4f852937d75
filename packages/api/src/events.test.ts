import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSession } from './accounts/sessions.ts'
import { recoverAdmin } from './rescue.ts'
import { type Panel, password, type SignedIn, startPanel } from './testing/panel.ts'

let panel: Panel
let admin: SignedIn
beforeEach(async () => {
  panel = await startPanel()
  admin = await panel.signedIn('admin')
})
afterEach(() => panel[Symbol.asyncDispose]())

interface Listener extends Disposable {
  readonly text: () => string
  readonly ids: () => string[]
  /** Resolves when the panel has closed the stream. */
  readonly closed: Promise<void>
}

async function listen(cookie: string, headers: Record<string, string> = {}): Promise<Listener> {
  const opened = Promise.withResolvers<Listener>()
  const closed = Promise.withResolvers<void>()
  const outgoing = request(
    {
      host: '127.0.0.1',
      port: panel.port,
      path: '/api/events',
      headers: { cookie, ...headers },
      agent: false,
    },
    (response) => {
      expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      expect(response.headers['x-accel-buffering']).toBe('no')
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += String(chunk)
        opened.resolve(listener)
      })
      response.on('error', () => {})
      response.on('close', () => closed.resolve())
      const listener: Listener = {
        text: () => text,
        ids: () => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? ''),
        closed: closed.promise,
        [Symbol.dispose]: () => outgoing.destroy(),
      }
    },
  )
  outgoing.on('error', opened.reject)
  outgoing.end()
  return await opened.promise
}

const publish = (siteId: string, keys: string[] = [`sites/${siteId}`]) =>
  panel.context.events.publish('invalidate', { keys }, { siteId, accountId: null })

async function makeSite(domain: string): Promise<string> {
  const answer = await panel.send('POST', '/api/sites', {
    cookie: admin.cookie,
    body: { domain, type: 'static' },
  })
  await panel.context.tasks.idle()
  return (answer.json['site'] as { id: string }).id
}

describe('the event stream', () => {
  test('shows a site being created: the task, its log, and what to read again', async () => {
    using stream = await listen(admin.cookie)
    panel.agent.answer('site.remove', (_input, send) => {
      send({ type: 'log', text: 'removing now' })
      send({ type: 'step', name: 'files', state: 'running' })
      return { removed: true }
    })
    const id = await makeSite('a.example.test')
    await panel.send('DELETE', `/api/sites/${id}`, { cookie: admin.cookie })
    await panel.context.tasks.idle()
    await expect.poll(stream.text).toContain('"state":"succeeded"')
    await expect.poll(stream.text).toContain('event: task.log')
    expect(stream.text()).toContain('"chunk":"removing now\\n"')
    expect(stream.text()).toContain(`"keys":["sites","tasks","sites/${id}"]`)
  })

  test('replays what was missed since the last id, once', async () => {
    using first = await listen(admin.cookie)
    publish('sa', ['one'])
    await expect.poll(first.text).toContain('"one"')
    const seen = first.ids().at(-1) ?? ''
    first[Symbol.dispose]()
    publish('sa', ['two'])
    publish('sa', ['three'])
    using second = await listen(admin.cookie, { 'last-event-id': seen })
    await expect.poll(second.text).toContain('"three"')
    expect(second.text().match(/"two"/g)).toHaveLength(1)
    expect(second.text()).not.toContain('"one"')
    expect(second.text()).not.toContain('"*"')
  })

  test.each(['nonsense', '00000000-1', '', 'a-b-c'])(
    'with the unknown id %j says to read everything again',
    async (id) => {
      publish('sa')
      using stream = await listen(admin.cookie, { 'last-event-id': id })
      await expect.poll(stream.text).toContain('event: invalidate\ndata: {"keys":["*"]}')
    },
  )

  test('with an id older than what is kept says to read everything again', async () => {
    using first = await listen(admin.cookie)
    publish('sa')
    await expect.poll(() => first.ids().length).toBeGreaterThan(1)
    const old = first.ids().at(-1) ?? ''
    for (let index = 0; index < 1100; index++) publish('sa')
    using stream = await listen(admin.cookie, { 'last-event-id': old })
    await expect.poll(stream.text).toContain('{"keys":["*"]}')
  })

  test('keeps few bytes for replay, however long the events are', async () => {
    using first = await listen(admin.cookie)
    publish('sa')
    await expect.poll(() => first.ids().length).toBeGreaterThan(1)
    const old = first.ids().at(-1) ?? ''
    first[Symbol.dispose]()
    for (let index = 0; index < 60; index++) publish('sa', ['x'.repeat(100_000)])
    using stream = await listen(admin.cookie, { 'last-event-id': old })
    await expect.poll(stream.text).toContain('{"keys":["*"]}')
  })

  test('shows an operator their sites only, also in the replay', async () => {
    const [mine, other] = [await makeSite('mine.example.test'), await makeSite('other.example.test')]
    const operator = await panel.signedIn('operator', [mine])
    using first = await listen(operator.cookie)
    publish(other)
    publish(mine)
    await expect.poll(first.text).toContain(mine)
    const start = first.ids()[0] ?? ''
    using second = await listen(operator.cookie, { 'last-event-id': start })
    await expect.poll(second.text).toContain(mine)
    expect(first.text() + second.text()).not.toContain(other)
  })
})

test('an operator who creates a site sees it being made, and no more of it once it is taken away', async () => {
  const operator = await panel.signedIn('operator')
  using stream = await listen(operator.cookie)
  const body = { domain: 'own.example.test', type: 'static' }
  const { json } = await panel.send('POST', '/api/sites', { cookie: operator.cookie, body })
  await panel.context.tasks.idle()
  await expect.poll(stream.text).toMatch(/"state":"succeeded".*"progress":1,/)
  const { id } = json['site'] as { id: string }
  const { id: taskId } = json['task'] as { id: string }
  const seesTask = async () =>
    (await panel.send('GET', `/api/tasks/${taskId}`, { cookie: operator.cookie })).status
  expect(await seesTask()).toBe(200)
  await panel.context.db.deleteFrom('account_sites').where('site_id', '=', id).execute()
  expect(await seesTask()).toBe(404)
  expect((await panel.send('GET', '/api/tasks', { cookie: operator.cookie })).json['tasks']).toEqual([])
  await stream.closed
  using later = await listen(operator.cookie, { 'last-event-id': stream.ids()[0] ?? '' })
  await panel.send('DELETE', `/api/sites/${id}`, { cookie: admin.cookie })
  await panel.context.tasks.idle()
  expect(later.text()).not.toContain(id)
  // The site is gone: what they asked for themselves is theirs to look up again.
  expect(await seesTask()).toBe(200)
})

describe('who is told to read accounts and sessions again', () => {
  const keysOf = (stream: Listener) =>
    [...stream.text().matchAll(/^event: invalidate\ndata: (.*)$/gm)].flatMap(
      ([, data]) => (JSON.parse(data ?? '{}') as { keys: string[] }).keys,
    )

  test('a new, changed or deleted account: administrators and readers, and no operator but the one it is', async () => {
    const [reader, operator, changed] = [
      await panel.signedIn('readonly'),
      await panel.signedIn('operator'),
      await panel.signedIn('operator'),
    ]
    using first = await listen(admin.cookie)
    using second = await listen(reader.cookie)
    using third = await listen(operator.cookie)
    using own = await listen(changed.cookie)
    const path = `/api/users/${changed.accountId}`
    const body = { email: 'new@example.test', password, role: 'readonly' }
    expect((await panel.send('POST', '/api/users', { cookie: admin.cookie, body })).status).toBe(201)
    await panel.send('PUT', path, { cookie: admin.cookie, body: { role: 'readonly' } })
    await panel.send('DELETE', path, { cookie: admin.cookie })
    await expect.poll(() => keysOf(first)).toEqual(['users', 'users', 'users'])
    await expect.poll(() => keysOf(second)).toEqual(['users', 'users', 'users'])
    await expect.poll(() => keysOf(own)).toEqual(['*', '*'])
    // Everything before this arrives before this.
    panel.context.events.publish('invalidate', { keys: ['last'] }, 'everybody')
    await expect.poll(() => keysOf(third)).toEqual(['last'])
  })

  test('a session that begins or ends: its account alone', async () => {
    using others = await listen(admin.cookie)
    const user = await panel.signedIn('readonly')
    using own = await listen(user.cookie)
    const answer = await panel.send('POST', '/api/login', { body: { email: user.email, password } })
    const cookie = [answer.headers['set-cookie'] ?? []].flat()[0]?.split(';')[0]
    await panel.send('POST', '/api/logout', { cookie })
    await expect.poll(() => keysOf(own)).toEqual(['account/sessions', 'account/sessions'])
    panel.context.events.publish('invalidate', { keys: ['last'] }, 'everybody')
    await expect.poll(() => keysOf(others)).toEqual(['last'])
  })
})

describe('a stream is closed within five seconds', () => {
  const user = (who: SignedIn) => `/api/users/${who.accountId}`
  test.each<[string, (who: SignedIn, siteId: string) => Promise<unknown>]>([
    [
      'when the session is revoked',
      ({ sessionId, cookie }) => panel.send('DELETE', `/api/account/sessions/${sessionId}`, { cookie }),
    ],
    ['when its owner signs out', ({ cookie }) => panel.send('POST', '/api/logout', { cookie })],
    [
      'when the password is changed in another session',
      async ({ accountId }) => {
        const other = await createSession(panel.context.db, { accountId, address: '::1', userAgent: null })
        return await panel.send('POST', '/api/account/password', {
          cookie: other.cookie.split(';')[0],
          body: { current_password: password, new_password: 'a quite different one' },
        })
      },
    ],
    ['when the account is deleted', (who) => panel.send('DELETE', user(who), { cookie: admin.cookie })],
    [
      'when the role changes',
      (who) => panel.send('PUT', user(who), { cookie: admin.cookie, body: { role: 'readonly' } }),
    ],
    [
      'when the sites change',
      (who, siteId) =>
        panel.send('PUT', user(who), {
          cookie: admin.cookie,
          body: { role: 'operator', site_ids: [siteId] },
        }),
    ],
    [
      'when root gives the account a new password',
      ({ email }) => recoverAdmin({ REEVE_ROOT: panel.folder }, [email]),
    ],
    [
      'when the session expires',
      ({ sessionId }) =>
        panel.context.db
          .updateTable('sessions')
          .set({ expires_at: new Date().toISOString() })
          .where('id', '=', sessionId)
          .execute(),
    ],
  ])('%s', async (_name, change) => {
    const siteId = await makeSite('some.example.test')
    const operator = await panel.signedIn('operator')
    using stream = await listen(operator.cookie)
    using bystander = await listen(admin.cookie)
    await change(operator, siteId)
    const outcome = await Promise.race([stream.closed.then(() => 'closed'), sleep(5000).then(() => 'open')])
    expect(outcome).toBe('closed')
    publish(siteId)
    await expect.poll(bystander.text).toContain(siteId)
  })

  test('when nobody reads it', async () => {
    const stalled = request({
      host: '127.0.0.1',
      port: panel.port,
      path: '/api/events',
      headers: { cookie: admin.cookie },
    })
    const gone = Promise.withResolvers<void>()
    stalled.on('response', (response) =>
      response
        .pause()
        .on('close', gone.resolve)
        .on('error', () => {}),
    )
    stalled.on('error', () => gone.resolve())
    stalled.end()
    await sleep(200)
    const big = ['x'.repeat(100_000)]
    for (let index = 0; index < 100; index++) publish('sa', big)
    await expect.poll(() => panel.context.events.openStreams()).toBe(0)
    stalled.destroy()
  })
})

test('an account has a bounded number of streams', async () => {
  const streams = await Promise.all(Array.from({ length: 50 }, () => listen(admin.cookie)))
  const refused = await panel.send('GET', '/api/events', { cookie: admin.cookie })
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toBe('5')
  for (const stream of streams) stream[Symbol.dispose]()
})
