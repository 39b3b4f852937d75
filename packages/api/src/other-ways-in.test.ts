// Every endpoint by every method it does not have and by every other way of writing its path.
import { endpoints } from '@reeve/contract/endpoints.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { type Panel, startPanel } from './testing/panel.ts'
import { addSite } from './testing/site.ts'

let panel: Panel
beforeAll(async () => {
  panel = await startPanel()
})
afterAll(() => panel[Symbol.asyncDispose]())

let requests = 0

describe('no spelling and no other method gets past it', () => {
  const paths = [...new Set(endpoints.map(({ path }) => path))]
  const declared = (path: string) =>
    endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method)
  const withIds = (path: string) =>
    path.replace('{id}', newId(path.includes('task') ? 't' : 's')).replace('{fingerprint}', 'A'.repeat(43))

  async function expectNothing(method: string, path: string, statuses: readonly number[]): Promise<void> {
    const admin = await panel.signedIn('admin')
    await panel.context.audit.flush()
    const before = panel.agent.calls.length
    for (const cookie of [undefined, admin.cookie]) {
      const answer = await panel.send(method, path, { cookie, headers: { 'x-http-method-override': 'GET' } })
      expect(statuses, `${method} ${path}`).toContain(answer.status)
      requests++
    }
    expect(panel.agent.calls.slice(before)).toEqual([])
  }

  test.each(paths)('%s: other methods', async (path) => {
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'].filter(
      (method) => !declared(path).some((own) => own === method),
    )
    for (const method of others) await expectNothing(method, withIds(path), [405])
  })

  test.each(paths)('%s: other spellings', async (path) => {
    const plain = withIds(path)
    const cut = plain.lastIndexOf('/')
    const [start, end] = [plain.slice(0, cut), plain.slice(cut + 1)]
    const variants = [
      `/${plain}`,
      `${start}//${end}`,
      `${start}/./${end}`,
      `${start}/x/../${end}`,
      `${start}%2f${end}`,
      `${plain}/`,
      `${plain};a=b`,
      `${plain}%00`,
      `${plain}%20`,
      `${start}/%${end.charCodeAt(0).toString(16)}${end.slice(1)}`,
      ...(plain === plain.toUpperCase() ? [] : [plain.toUpperCase()]),
    ]
    for (const variant of variants) {
      // A target that does not begin with a slash is not even HTTP.
      const status = variant.startsWith('/') ? 404 : 400
      for (const method of declared(path)) await expectNothing(method, variant, [status])
    }
  })
})

test('every endpoint was tried', () => {
  console.log(`other methods and spellings: ${requests} requests`)
  expect(requests).toBeGreaterThan(endpoints.length * 20)
})

test('reading changes nothing', async () => {
  const { siteId, taskId } = await addSite(panel)
  const admin = await panel.signedIn('admin')
  await panel.context.audit.flush()
  const state = async () => {
    const tables = [
      'accounts',
      'sessions',
      'account_sites',
      'sites',
      'tasks',
      'task_log',
      'audit_outbox',
      'settings',
    ] as const
    return JSON.stringify(
      await Promise.all(tables.map((table) => panel.context.db.selectFrom(table).selectAll().execute())),
    )
  }
  const before = await state()
  const reading = endpoints.filter(({ method, produces }) => method === 'GET' && produces !== 'event-stream')
  expect(reading.length).toBeGreaterThan(8)
  for (const endpoint of reading) {
    const path = endpoint.path.replace('{id}', endpoint.scope === 'task' ? taskId : siteId)
    const query = path === '/api/logs' ? '?source=api' : ''
    expect((await panel.send('GET', path + query, { cookie: admin.cookie })).status, path).toBe(200)
  }
  expect(await state()).toBe(before)
})
