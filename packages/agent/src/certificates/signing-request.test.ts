import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { Domain } from '@reeve/contract/primitives.ts'
import { expect, it } from 'vitest'
import { signingRequest } from './signing-request.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
/** Everything that openssl says; its exit code says nothing about the signature. */
function openssl(request: Buffer): string {
  const { stdout, stderr } = spawnSync(
    '/usr/bin/openssl',
    ['req', '-inform', 'DER', '-verify', '-noout', '-text'],
    { input: request, encoding: 'utf8' },
  )
  return stderr + stdout
}

// From one byte of length to three: each is written in another way.
it.each([1, 2, 8, 51])('is one that openssl verifies, for %i names', (count) => {
  const names = Array.from({ length: count }, (_, index) =>
    Domain.parse(`${'long-label-'.repeat(index % 5)}n${index}.example.com`),
  )
  const text = openssl(signingRequest(privateKey, names))
  expect(text).toMatch(/verify OK/)
  expect(text).toContain('Subject: \n')
  expect(text).toContain('NIST CURVE: P-256')
  expect(text).toContain('ecdsa-with-SHA256')
  expect([...text.matchAll(/DNS:([^,\s]+)/g)].map(([, name]) => name)).toEqual(names)
})

it('is refused by openssl once a bit of it is changed', () => {
  const request = signingRequest(privateKey, [Domain.parse('a.example.com')])
  const at = request.indexOf('a.example.com')
  request[at] = 'b'.charCodeAt(0)
  expect(openssl(request)).toMatch(/verify failure/)
})

it.each(['*.example.com', 'a.example.com\0.example.org', 'a.example.com,DNS:b.example.com', ''])(
  'is not made for %j',
  (name) => {
    // Only Domain.parse makes a Domain; this is what a mistake elsewhere would hand over.
    expect(() => signingRequest(privateKey, [name as Domain])).toThrow(/name/)
  },
)
