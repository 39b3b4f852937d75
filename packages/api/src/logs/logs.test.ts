import { AppError } from '@reeve/contract/errors.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Panel, startPanel } from '../testing/panel.ts'
import { addSite } from '../testing/site.ts'

let panel: Panel
beforeEach(async () => {
  panel = await startPanel()
})
afterEach(() => panel[Symbol.asyncDispose]())

const answer = { lines: ['<b>one</b>', '\\x1b[31m'], cursor: 'a:b:00000000', truncated: true }

test('lines of the server are handed on with the cursor to go on from', async () => {
  panel.agent.answer('logs.server', () => answer)
  const { cookie } = await panel.signedIn('readonly')
  const got = await panel.send('GET', '/api/logs?source=nginx-error&lines=5&filter=A%20b&cursor=a:1:ff', {
    cookie,
  })
  expect(got.json).toEqual(answer)
  const input = panel.agent.inputs.find(({ name }) => name === 'logs.server')?.input
  expect(input).toEqual({ source: 'nginx-error', lines: 5, filter: 'A b', cursor: 'a:1:ff' })
})

test("an operator reads the error log of an assigned site unless it asks for another one, and not the server's", async () => {
  panel.agent.answer('logs.site', () => answer)
  const { siteId } = await addSite(panel)
  const { cookie } = await panel.signedIn('operator', [siteId])
  expect((await panel.send('GET', `/api/sites/${siteId}/logs`, { cookie })).json).toEqual(answer)
  expect(panel.agent.inputs.find(({ name }) => name === 'logs.site')?.input).toEqual({
    ...{ id: siteId, source: 'error', lines: 200, filter: null, cursor: null },
  })
  expect((await panel.send('GET', '/api/logs?source=api', { cookie })).status).toBe(403)
})

test.each([
  '/api/logs',
  '/api/logs?source=/etc/shadow',
  '/api/logs?source=../../etc/shadow',
  '/api/logs?source=api&file=/etc/shadow',
  '/api/logs?source=api&lines=0',
  '/api/logs?source=api&lines=100000',
  '/api/logs?source=api&cursor=../x',
  '/api/logs?source=api&source=agent',
])('%s is refused before the agent hears of it', async (path) => {
  const { cookie } = await panel.signedIn('admin')
  expect((await panel.send('GET', path, { cookie })).status).toBe(400)
  expect(panel.agent.calls).not.toContain('logs.server')
})

test('what the agent refuses is what the caller is told', async () => {
  panel.agent.answer('logs.site', () => {
    throw new AppError('internal', 'The log of a.test cannot be read: Permission denied')
  })
  const { siteId } = await addSite(panel)
  const { cookie } = await panel.signedIn('admin')
  const got = await panel.send('GET', `/api/sites/${siteId}/logs?source=php`, { cookie })
  expect(got.status).toBe(500)
  expect(got.json['error']).toBe('The log of a.test cannot be read: Permission denied')
})
