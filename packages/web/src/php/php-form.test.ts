import { expect, it } from 'vitest'
import { exampleSite } from '../sites/example-site.ts'
import { bodyOfPhp, phpFormOf } from './php-form.ts'

const site = exampleSite({ type: 'php', php_version: '8.4', php_workers: 6 })

it('takes the budget’s number of workers for the automatic one', () => {
  expect(phpFormOf(site, 6).workers).toEqual({ automatic: true, count: '6' })
  expect(phpFormOf(site, 8).workers).toEqual({ automatic: false, count: '6' })
  expect(phpFormOf({ ...site, php_workers: null }, 8).workers).toEqual({ automatic: true, count: '8' })
})

it('sends what was changed, numbers as numbers, and null for as many workers as fit', () => {
  const form = { ...phpFormOf(site, 6), version: '8.2', memory: '512' }
  expect(bodyOfPhp(form, ['version', 'memory'])).toEqual({ version: '8.2', memory_limit_mb: 512 })
  expect(bodyOfPhp(form, ['workers'])).toEqual({ php_workers: null })
  const own = { ...form, workers: { automatic: false, count: '12' } }
  expect(bodyOfPhp(own, ['workers'])).toEqual({ php_workers: 12 })
})
