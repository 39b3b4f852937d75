import * as contract from '@reeve/contract/sites.ts'
import { expect, it } from 'vitest'
import * as facts from './type-facts.ts'

it('says what the contract says', () => {
  expect(facts.siteTypes).toEqual(contract.SiteType.options)
  expect(facts.profiles).toEqual(contract.Profile.options)
  expect(facts.profileCache).toEqual(contract.profileCache)
  for (const type of facts.siteTypes) {
    expect(facts.isCms(type)).toBe(contract.isCms(type))
    expect(facts.usesPhp(type)).toBe(contract.usesPhp(type))
  }
})
