import { AppError } from '@reeve/contract/errors.ts'
import type { Domain } from '@reeve/contract/primitives.ts'
import { SiteSpec } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Panel, startPanel } from '../testing/panel.ts'
import { addSite } from '../testing/site.ts'
import { checkConfig, withConfig } from './config.ts'

const spec = SiteSpec.parse({
  id: 'sabcdefghijklmno',
  domain: 'example.com',
  aliases: ['www.example.com'],
  type: 'php',
  profile: 'balanced',
  title: 'A site',
  admin_email: null,
  admin_user: null,
  object_cache: false,
  php_version: null,
  php_workers: null,
  proxy_upstream: null,
  cache: { enabled: true, ttl_s: 600, bypass_paths: ['/live/'] },
})

describe('the document after a change', () => {
  test('keeps what the change does not name, also inside a part', () => {
    expect(withConfig(spec, {})).toEqual(spec)
    expect(withConfig(spec, { cache: { ttl_s: 60 } }).cache).toEqual({ ...spec.cache, ttl_s: 60 })
    expect(withConfig(spec, { hsts: true })).toEqual({ ...spec, hsts: true })
  })
  test('holds the hash of a password and not the password', () => {
    const password = 'a good password'
    const first = withConfig(spec, { basic_auth: { user: 'editor', password } })
    expect(first.basic_auth?.password_hash).toMatch(/^\$6\$/)
    expect(JSON.stringify(first)).not.toContain(password)
    expect(withConfig(first, { basic_auth: { user: 'editor' } }).basic_auth).toEqual(first.basic_auth)
    expect(() => withConfig(first, { basic_auth: { user: 'other' } })).toThrow(/needs a password/)
    expect(withConfig(first, { basic_auth: null }).basic_auth).toBeNull()
  })
  test('has lines in a snippet as nginx counts them, and none in place of white space', () => {
    const snippet = withConfig(spec, { nginx_snippet: 'etag off;\r\nexpires 1d;\r\n' }).nginx_snippet
    expect(snippet).toBe('etag off;\nexpires 1d;\n')
    expect(withConfig(spec, { nginx_snippet: ' \n ' }).nginx_snippet).toBeNull()
  })
})

describe('the www redirect', () => {
  const wordpress: SiteSpec = { ...spec, type: 'wordpress' }
  test('needs both names', () => {
    expect(() => checkConfig({ ...spec, www_redirect: 'to_www' })).not.toThrow()
    expect(() => checkConfig({ ...spec, www_redirect: 'to_bare' })).not.toThrow()
    expect(() => checkConfig({ ...spec, aliases: [], www_redirect: 'to_www' })).toThrow(
      /www\.example\.com is not a name/,
    )
    const other = { ...spec, aliases: ['www.example.net' as Domain], www_redirect: 'to_bare' as const } // as parsed
    expect(() => checkConfig(other)).toThrow(/www\.example\.com is not a name/)
  })
  test('leads to the name that WordPress knows itself by, or round in a circle', () => {
    expect(() => checkConfig({ ...wordpress, www_redirect: 'to_bare' })).not.toThrow()
    expect(() => checkConfig({ ...wordpress, www_redirect: 'to_www' })).toThrow(/would send visitors .* back/)
  })
})

test('a change that was read from a document that changed meanwhile is a conflict', async () => {
  await using panel = await startPanel()
  const admin = await panel.signedIn('admin')
  const { siteId } = await addSite(panel)
  const put = (body: unknown) =>
    panel.send('PUT', `/api/sites/${siteId}/config`, { cookie: admin.cookie, body })
  const otherOne = Promise.withResolvers<void>()
  panel.agent.answer('site.check', async () => {
    panel.agent.answer('site.check', () => ({}))
    await otherOne.promise
    return {}
  })
  const slow = put({ hsts: true })
  await expect.poll(() => panel.agent.calls).toContain('site.check')
  const quick = await put({ cache: { ttl_s: 5 } })
  expect(quick.status).toBe(202)
  const state = async () => (await panel.send('GET', `/api/sites/${siteId}`, { cookie: admin.cookie })).json
  await expect.poll(state, { timeout: 20_000 }).toMatchObject({ state: 'active', cache: { ttl_s: 5 } })
  otherOne.resolve()
  const answer = await slow
  expect([answer.status, answer.json['code']]).toEqual([409, 'conflict'])
  expect(await state()).toMatchObject({ hsts: false, cache: { ttl_s: 5 } })
})

describe('PUT /config', () => {
  let panel: Panel
  beforeAll(async () => {
    panel = await startPanel()
  })
  afterAll(() => panel[Symbol.asyncDispose]())

  test('asks the agent before it starts anything, and starts nothing when it is refused', async () => {
    const admin = await panel.signedIn('admin')
    const { siteId } = await addSite(panel)
    panel.agent.answer('site.check', () => {
      throw new AppError('refused', 'nginx refused line 2 of the snippet.', {
        field: 'nginx_snippet',
        line: 2,
      })
    })
    const answer = await panel.send('PUT', `/api/sites/${siteId}/config`, {
      cookie: admin.cookie,
      body: { nginx_snippet: 'etag off;\nx y;' },
    })
    expect([answer.status, answer.json]).toEqual([
      422,
      expect.objectContaining({ code: 'refused', field: 'nginx_snippet', line: 2 }),
    ])
    expect(panel.agent.calls).not.toContain('site.apply')
    const tasks = await panel.context.db
      .selectFrom('tasks')
      .selectAll()
      .where('kind', '=', 'site.configure')
      .execute()
    expect(tasks).toEqual([])
  })
})
