import { expect, it } from 'vitest'
import { bodyOfConfig, configFormOf, nextKey } from './config-form.ts'
import { exampleSite } from './example-site.ts'

const site = exampleSite({
  type: 'wordpress',
  aliases: ['b.test'],
  redirects: [{ from: '/old', to: '/new', status: 301 }],
  basic_auth: { user: 'guest' },
  nginx_snippet: 'add_header X-A 1;',
})
const form = configFormOf(site)

it('sends nothing that was not changed', () => {
  expect(bodyOfConfig(form, [])).toEqual({})
})

it('takes lists apart and leaves empty rows out', () => {
  const changed = {
    ...form,
    aliases: ' b.test\n\nc.test, d.test ',
    bypassPaths: ' /account \n\n/cart',
    redirects: [
      ...form.redirects,
      { key: 7, from: ' ', to: '', status: 302 as const },
      { key: 8, from: '/a ', to: ' /b', status: 302 as const },
    ],
  }
  expect(bodyOfConfig(changed, ['aliases', 'bypassPaths', 'redirects'])).toEqual({
    aliases: ['b.test', 'c.test', 'd.test'],
    cache: { bypass_paths: ['/account', '/cart'] },
    redirects: [
      { from: '/old', to: '/new', status: 301 },
      { from: '/a', to: '/b', status: 302 },
    ],
  })
})

it('sends a row that was begun, so that the server can say what it lacks', () => {
  const rows = [{ key: 0, from: '/only', to: '', status: 301 as const }]
  expect(bodyOfConfig({ ...form, redirects: rows }, ['redirects']).redirects).toHaveLength(1)
})

it('keeps the password by leaving it out, and turns the prompt off by null', () => {
  const auth = (part: Partial<typeof form.basicAuth>) =>
    bodyOfConfig({ ...form, basicAuth: { ...form.basicAuth, ...part } }, ['basicAuth']).basic_auth
  expect(auth({ user: 'other' })).toEqual({ user: 'other' })
  expect(auth({ password: 'a long one' })).toEqual({ user: 'guest', password: 'a long one' })
  expect(auth({ on: false })).toBeNull()
})

it('empties the snippet by null and sends any other as it was typed', () => {
  expect(bodyOfConfig({ ...form, snippet: ' \n' }, ['snippet']).nginx_snippet).toBeNull()
  expect(bodyOfConfig({ ...form, snippet: ' a;\n b;\n' }, ['snippet']).nginx_snippet).toBe(' a;\n b;\n')
})

it('gives every row a key of its own', () => {
  expect(nextKey([])).toBe(0)
  expect(nextKey([{ key: 4, from: '', to: '', status: 301 }])).toBe(5)
})
