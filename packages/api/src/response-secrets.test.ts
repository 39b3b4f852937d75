// What an answer may hold is its schema, and nothing outside the schema leaves (route.ts). So it is enough that no
// schema has a place for a secret, except where the secret is what was asked for and is shown once.
import { endpoints } from '@reeve/contract/endpoints.ts'
import { expect, it } from 'vitest'
import * as z from 'zod'

const telling = /hash|secret|seed|token|password|salt|cookie|private|recovery/i

const wanted = [
  // Shown once, to the person who asked for it.
  'beginTwoFactor: secret',
  'confirmTwoFactor: recovery_codes',
  'setSftp: password',
  // Whether there is one.
  'getSftp: has_password',
  'setSftp: has_password',
  // The link of the audit chain, which everybody may check.
  'listAudit: hash',
]

function propertyNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const properties = 'properties' in schema ? schema.properties : undefined
  const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return [...own, ...Object.values(schema).flatMap((part) => propertyNames(part))]
}

const places = endpoints.flatMap(({ name, response }) => {
  const schema = z.toJSONSchema(response, { unrepresentable: 'any', io: 'output' })
  return propertyNames(schema).map((property) => `${name}: ${property}`)
})

it('no answer has a place for a secret but those that exist to show one', () => {
  const found = [...new Set(places)].filter((place) => telling.test(place.split(': ')[1] ?? ''))
  expect(found.sort()).toEqual(wanted.sort())
})

it('sees the properties of every answer that has some', () => {
  expect(places).toContain('beginTwoFactor: otpauth_url')
  expect(places).toContain('listUsers: two_factor')
  expect(places.length).toBeGreaterThan(100)
})
