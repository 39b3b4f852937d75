import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Domain } from '@reeve/contract/primitives.ts'
import { SiteSpec } from '@reeve/contract/sites.ts'
import { expect, it } from 'vitest'
import { openRegistry } from './registry.ts'
import { makeFolder } from './testing/folder.ts'

const path = () => join(makeFolder('registry'), 'registry.db')
const free = () => false

const spec = (letter: string, domain = `${letter}.example.com`) =>
  SiteSpec.parse({
    id: `s${letter.repeat(15)}`,
    domain,
    aliases: [],
    type: 'static',
    profile: 'balanced',
    title: 'A site',
    admin_email: null,
    admin_user: null,
    object_cache: false,
    php_version: null,
    php_workers: null,
    proxy_upstream: null,
    cache: { enabled: true, ttl_s: 600 },
  })

it('gives a site its number once and for good', () => {
  const registry = openRegistry(path())
  const first = registry.reserveSite(spec('a'), free)
  const again = registry.reserveSite({ ...spec('a'), title: SiteSpec.shape.title.parse('Another') }, free)
  expect(again).toMatchObject({ number: first.number, secrets: first.secrets, release: first.release })
  expect(again.spec.title).toBe('Another')
})

it('passes over numbers that the host has, and never goes back to one', () => {
  const registry = openRegistry(path())
  expect(registry.reserveSite(spec('a'), (number) => number < 4).number).toBe(4)
  const removed = registry.reserveSite(spec('b'), free)
  registry.forgetSite(removed.spec.id)
  expect(registry.reserveSite(spec('c'), free).number).toBe(removed.number + 1)
})

it('keeps a site that is being removed from everything but its removal', () => {
  const file = path()
  const registry = openRegistry(file)
  const [going, kept] = ['a', 'b'].map((letter) => registry.reserveSite(spec(letter), free).spec)
  registry.markBeingRemoved(going!.id)
  const again = openRegistry(file)
  expect(again.listSites().map((site) => site.spec.id)).toEqual([kept!.id])
  expect(again.findSite(going!.id)?.isBeingRemoved).toBe(true)
  const refusal = 'Removing a.example.com did not finish; it can only be removed again.'
  expect(() => again.requireSite(going!.id)).toThrow(refusal)
  expect(() => again.reserveSite(spec('a'), free)).toThrow(refusal)
  expect(() => again.reserveSite(spec('c', 'a.example.com'), free)).toThrow(/already served/)
  expect(again.requireSite(kept!.id).spec).toEqual(kept)
})

it('opens a registry of an earlier version', () => {
  const file = path()
  const earlier = openRegistry(file)
  earlier.reserveSite(spec('a'), free)
  earlier.close()
  const db = new DatabaseSync(file)
  db.exec('ALTER TABLE sites DROP COLUMN is_being_removed')
  db.close()
  expect(openRegistry(file).listSites()).toMatchObject([{ isBeingRemoved: false }])
})

it('refuses a second site of one domain, and a site that changes its domain', () => {
  const registry = openRegistry(path())
  registry.reserveSite(spec('a'), free)
  expect(() => registry.reserveSite(spec('b', 'a.example.com'), free)).toThrow(/already served/)
  expect(() => registry.reserveSite(spec('a', 'b.example.com'), free)).toThrow(/cannot change/)
})

it('refuses a name that another site has as its domain or alias', () => {
  const registry = openRegistry(path())
  const first = { ...spec('a'), aliases: [Domain.parse('www.a.example.com')] }
  registry.reserveSite(first, free)
  const claims = [spec('b', 'www.a.example.com'), { ...spec('b'), aliases: [Domain.parse('a.example.com')] }]
  for (const claim of claims) expect(() => registry.reserveSite(claim, free)).toThrow(/already served/)
  expect(registry.reserveSite(first, free).spec.aliases).toEqual(['www.a.example.com'])
})

it('refuses to turn a site into another type', () => {
  const registry = openRegistry(path())
  registry.reserveSite(spec('a'), free)
  expect(() => registry.reserveSite({ ...spec('a'), type: 'proxy' }, free)).toThrow(/its type cannot change/)
})

it('makes secrets that no two sites share, in a file for root alone', () => {
  const file = path()
  const registry = openRegistry(file)
  const sites = ['a', 'b', 'c'].map((letter) => registry.reserveSite(spec(letter), free).secrets)
  const all = sites.flatMap((secrets) => [...Object.values(secrets).flat()])
  expect(new Set(all).size).toBe(all.length)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('reads a site anew when it has changed, and lets nobody change what it hands out', () => {
  const registry = openRegistry(path())
  const { spec: before } = registry.reserveSite(spec('a'), free)
  registry.reserveSite({ ...spec('a'), object_cache: true }, free)
  expect(registry.listSites().map((site) => site.spec.object_cache)).toEqual([true])
  const secrets = { ...registry.reserveSite(spec('a'), free).secrets, redisPassword: 'another' }
  registry.storeSecrets(before.id, secrets)
  expect(registry.findSite(before.id)).toMatchObject({ spec: { object_cache: false }, secrets })
  expect(() => before.aliases.push(Domain.parse('www.example.com'))).toThrow(TypeError)
})

it('finds everything again after it was closed', () => {
  const file = path()
  const first = openRegistry(file)
  const site = first.reserveSite(spec('a'), free)
  first.markInstalled(site.spec.id)
  first.close()
  expect(openRegistry(file).findSite(site.spec.id)).toEqual({ ...site, isInstalled: true })
})
