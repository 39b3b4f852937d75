import type { Task } from '@reeve/contract/tasks.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { SiteId } from '@reeve/contract/primitives.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../accounts/secrets.ts'
import { refreshConnectors } from '../connector/refresh.ts'
import { findSite, storeSpec } from '../sites/store.ts'
import { type Panel, type SignedIn, startPanel } from '../testing/panel.ts'
import { type AddedSite, addSite } from '../testing/site.ts'

let panel: Panel
let admin: SignedIn
let site: AddedSite
let domain: string

beforeAll(async () => {
  panel = await startPanel()
  admin = await panel.signedIn('admin')
})
afterAll(() => panel[Symbol.asyncDispose]())
beforeEach(async () => {
  site = await addSite(panel)
  domain = (await stored())?.spec.domain ?? ''
})

const stored = () => findSite(panel.context.db, site.siteId)
const at = (end: string) => `/api/sites/${site.siteId}/${end}`
const send = (method: string, path: string, body?: unknown) =>
  panel.send(method, path, { cookie: admin.cookie, ...(body === undefined ? {} : { body }) })
const asked = (name: string) =>
  panel.agent.inputs.filter((call) => call.name === name).map(({ input }) => input)
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('a purge', () => {
  test('goes to the agent as it is, and says how many went', async () => {
    const target = { urls: [`https://${domain}/a/`, `http://${domain}:8443/b?c`] }
    const answer = await send('POST', at('purge'), target)
    expect([answer.status, answer.json]).toEqual([200, { purged: 1 }])
    expect(asked('cache.purge').at(-1)).toEqual({ id: site.siteId, target })
  })

  test.each([
    [{ urls: ['https://other.example.test/'] }, 422, 'other.example.test is not a name of'],
    [{ urls: ['not an address'] }, 422, '"not an address" is not a name of'],
    [{ urls: [] }, 400, 'urls'],
    [{ urls: ['x'], all: true }, 400, ''],
    [{ all: false }, 400, ''],
    [{ urls: ['https://x.test/'], listings: ['a b'] }, 400, 'listings'],
    [{}, 400, ''],
  ])('of %j is refused with %i', async (body, status, said) => {
    const before = asked('cache.purge').length
    const answer = await send('POST', at('purge'), body)
    expect([answer.status, answer.json['error']]).toEqual([status, expect.stringContaining(said)])
    expect(asked('cache.purge')).toHaveLength(before)
  })

  test('that the agent refuses is answered with its reason', async () => {
    panel.agent.answer('cache.purge', () => {
      throw new AppError('internal', 'The web server did not purge a page.')
    })
    const answer = await send('POST', at('purge'), { all: true })
    expect([answer.status, answer.json['error']]).toEqual([500, 'The web server did not purge a page.'])
    panel.agent.answer('cache.purge', () => ({ purged: 1 }))
  })
})

describe('the plugin of a site', () => {
  const purge = (token: string, body: unknown) =>
    panel.send('POST', '/api/connector/purge', { ...bearer(token), body })

  test('purges its own site and needs no session', async () => {
    const answer = await purge(site.connectorToken, { urls: [`https://${domain}/`], listings: ['post'] })
    expect([answer.status, answer.json]).toEqual([200, { purged: 1 }])
    expect(asked('cache.purge').at(-1)).toMatchObject({ id: site.siteId, target: { listings: ['post'] } })
  })

  test('is refused another host by name, and another token altogether', async () => {
    const refused = await purge(site.connectorToken, { urls: ['https://victim.example.test/'] })
    expect([refused.status, refused.json]).toMatchObject([
      422,
      { code: 'refused', host: 'victim.example.test' },
    ])
    expect((await purge('x'.repeat(43), { all: true })).status).toBe(401)
    expect((await purge('', { all: true })).status).toBe(401)
  })

  test('loses its token when it is replaced', async () => {
    const token = 'n'.repeat(43)
    const hash = sha256(token)
    panel.agent.answer('connector.rotate', () => ({ connector_token_sha256: hash }))
    const answer = await send('POST', at('connector/rotate'))
    expect([answer.status, answer.json]).toEqual([200, {}])
    expect((await purge(site.connectorToken, { all: true })).status).toBe(401)
    expect((await purge(token, { all: true })).status).toBe(200)
    expect((await stored())?.facts).toMatchObject({ connector_token_sha256: hash, system_user: 'site-1' })
  })

  test('that the panel was killed before it could store is found', async () => {
    const token = 'm'.repeat(43)
    const answerWith = (connector_token_sha256: string) =>
      panel.agent.answer('connector.list', () => ({
        connectors: [{ site: site.siteId, connector_token_sha256 }],
      }))
    answerWith(sha256(token))
    await refreshConnectors(panel.context)
    expect((await purge(site.connectorToken, { all: true })).status).toBe(401)
    expect((await purge(token, { all: true })).status).toBe(200)
    expect((await stored())?.facts).toMatchObject({ system_user: 'site-1' })
  })

  test('that was stored while the agent answered stays', async () => {
    const token = 'o'.repeat(43)
    panel.agent.answer('connector.rotate', () => ({ connector_token_sha256: sha256(token) }))
    panel.agent.answer('connector.list', async () => {
      expect((await send('POST', at('connector/rotate'))).status).toBe(200)
      return { connectors: [{ site: site.siteId, connector_token_sha256: sha256('x') }] }
    })
    await refreshConnectors(panel.context)
    expect((await purge(token, { all: true })).status).toBe(200)
  })

  test('of a site without WordPress does not exist', async () => {
    const found = await stored()
    if (found)
      await panel.context.db
        .transaction()
        .execute((transaction) => storeSpec(transaction, { ...found.spec, type: 'php' }))
    expect(await send('POST', at('connector/rotate'))).toMatchObject({ status: 422 })
  })
})

describe('warming', () => {
  test('is a task of the site with the steps of the agent', async () => {
    const answer = await send('POST', at('warm'))
    expect(answer.status).toBe(202)
    await panel.context.tasks.idle()
    const { id } = answer.json['task'] as Task // the contract's shape
    const task = await send('GET', `/api/tasks/${id}`)
    expect(task.json).toMatchObject({ kind: 'cache.warm', state: 'succeeded', site_id: site.siteId })
    expect(asked('cache.warm').at(-1)).toEqual({ id: site.siteId })
    expect((await stored())?.state).toBe('active')
  })

  test('is refused where there is no page cache', async () => {
    const found = await stored()
    const cache = { enabled: false, ttl_s: 600, bypass_paths: [] }
    if (found)
      await panel.context.db
        .transaction()
        .execute((transaction) => storeSpec(transaction, { ...found.spec, cache }))
    expect(await send('POST', at('warm'))).toMatchObject({ status: 422 })
  })
})

test('numbers come from the agent, and are none for a site that is going', async () => {
  const numbers = {
    object_cache: { hits: 1, misses: 2, memory_bytes: 3, keys: 4 },
    page_cache: { hits: 5, misses: 6, bypassed: 7, files: 8, bytes: 9, since: '2026-01-01T00:00:00.000Z' },
  }
  panel.agent.answer('cache.stats', () => numbers)
  expect((await send('GET', at('cache-stats'))).json).toEqual(numbers)
  await panel.context.db
    .updateTable('sites')
    .set({ state: 'deleting' })
    .where('id', '=', SiteId.parse(site.siteId))
    .execute()
  expect((await send('GET', at('cache-stats'))).json).toEqual({ object_cache: null, page_cache: null })
  expect((await send('POST', at('purge'), { all: true })).status).toBe(409)
})
