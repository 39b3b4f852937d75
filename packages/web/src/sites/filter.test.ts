import type { Site } from '@reeve/contract/sites.ts'
import { expect, it } from 'vitest'
import { exampleSite } from './example-site.ts'
import { filterSites, type StateFilter } from './filter.ts'
import { healthOfSite } from './health.ts'

const site = (domain: string, state: Site['state'], aliases: string[] = []): Site =>
  exampleSite({ id: `s${domain}`, domain, state, aliases })

const sites = [
  site('b.test', 'active'),
  site('c.test', 'creating'),
  site('z.test', 'failed'),
  site('a.test', 'active', ['www.alias.test']),
]
const domains = (words: string, filter: StateFilter): string[] =>
  filterSites(sites, healthOfSite, words, filter).map((found) => found.domain)

it('puts the broken one first, then what is being worked on, then the rest by name', () => {
  expect(domains('', 'all')).toEqual(['z.test', 'c.test', 'a.test', 'b.test'])
})

it('finds by part of the domain or of an alias, in any case', () => {
  expect(domains(' ALIAS ', 'all')).toEqual(['a.test'])
  expect(domains('b.t', 'all')).toEqual(['b.test'])
  expect(domains('nothing', 'all')).toEqual([])
})

it('narrows by state', () => {
  expect(domains('', 'attention')).toEqual(['z.test'])
  expect(domains('', 'working')).toEqual(['c.test'])
  expect(domains('', 'healthy')).toEqual(['a.test', 'b.test'])
})
