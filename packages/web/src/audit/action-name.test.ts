import { endpoints } from '@reeve/contract/endpoints.ts'
import { expect, it } from 'vitest'
import { actionName } from './action-name.ts'

it('reads as words, with capitals where a name has them', () => {
  expect(actionName('createSite')).toBe('Create site')
  expect(actionName('site.create')).toBe('Create site')
  expect(actionName('beginTwoFactor')).toBe('Begin two-factor')
  expect(actionName('somethingNew')).toBe('Something new')
})

it('leaves no endpoint without a readable name', () => {
  for (const { name } of endpoints) expect(actionName(name)).toMatch(/^[A-Z][a-z]/)
})
