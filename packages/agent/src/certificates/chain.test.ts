import { Domain } from '@reeve/contract/primitives.ts'
import { expect, it } from 'vitest'
import { checkChain } from './chain.ts'
import { createAuthority } from './testing/certificates.ts'

const authority = createAuthority()
const names = ['one.example.com', 'two.example.com'].map((name) => Domain.parse(name))
const issued = authority.issue(names)
const chain = issued.certificate + authority.certificate
const check = (text: string, key = issued.key, wanted = names, now = Date.now()) =>
  checkChain('ca.example', text, key, wanted, now)

it('is taken as plain PEM, without what stands around it', () => {
  expect(check(`junk; nginx directives {\n${chain}more`)).toBe(chain)
})

it.each([
  { what: 'is for another key', run: () => check(chain, authority.issue(names).key) },
  {
    what: 'does not name three.example.com',
    run: () => check(chain, issued.key, [...names, Domain.parse('three.example.com')]),
  },
  { what: 'has ended already', run: () => check(chain, issued.key, names, Date.now() + 91 * 86_400_000) },
  {
    what: 'is not followed by the ones',
    run: () => check(issued.certificate + createAuthority().certificate),
  },
  { what: 'cannot be read', run: () => check('') },
  { what: 'cannot be read', run: () => check(issued.certificate.replace(/[A-Za-z]{20}/, 'A'.repeat(20))) },
])('is refused when it $what', ({ what, run }) => {
  expect(run).toThrow(new RegExp(`ca\\.example issued ${what}`))
})
