import { expect, it } from 'vitest'
import { tabAt, tabsOf } from './tabs.ts'

const names = (type: Parameters<typeof tabsOf>[0]) => tabsOf(type).map(({ name }) => name)

it('shows a site only what its type has', () => {
  expect(names('wordpress')).toEqual([
    'overview',
    'config',
    'php',
    'certificate',
    'cache',
    'cron',
    'access',
    'logs',
  ])
  expect(names('static')).toEqual(['overview', 'config', 'certificate', 'cron', 'access', 'logs'])
  expect(names('proxy')).toEqual(['overview', 'config', 'certificate', 'cache', 'logs'])
})

it('reads the part from the address', () => {
  expect(tabAt('/sites/saaaaaaaaaaaaaaa')?.name).toBe('overview')
  expect(tabAt('/sites/saaaaaaaaaaaaaaa/')?.name).toBe('overview')
  expect(tabAt('/sites/saaaaaaaaaaaaaaa/cron')?.name).toBe('cron')
  expect(tabAt('/sites/saaaaaaaaaaaaaaa/nowhere')).toBeUndefined()
  expect(tabAt('/sites/new')).toBeUndefined()
  expect(tabAt('/tasks/taaaaaaaaaaaaaaa')).toBeUndefined()
})
