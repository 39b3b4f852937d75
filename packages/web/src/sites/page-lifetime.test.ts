import { expect, it } from 'vitest'
import { exampleSite } from './example-site.ts'
import { pageLifetime } from './page-lifetime.ts'

it.each([
  ['wordpress', '10 min'],
  ['woocommerce', '10 min'],
  ['php', 'As the application says'],
  ['laravel', 'As the application says'],
  ['proxy', 'As the application says'],
] as const)('of a page of a %s site: %s', (type, said) => {
  expect(pageLifetime(exampleSite({ type }))).toBe(said)
})
