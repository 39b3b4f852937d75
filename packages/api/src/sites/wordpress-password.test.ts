import { spawnSync } from 'node:child_process'
import { CmsPasswordHash } from '@reeve/contract/sites.ts'
import { expect, test } from 'vitest'
import { asTypedAtSignIn, hashForWordPress, phpass } from './wordpress-password.ts'

test('is the portable hash that phpass documents', () => {
  expect(phpass('test12345', 'IQRaTwmf', 11)).toBe('$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0')
})

test('has the cost WordPress uses, a salt of its own, and the form the agent takes', () => {
  const [first, second] = [hashForWordPress('the same password'), hashForWordPress('the same password')]
  expect(first).toMatch(/^\$P\$B/)
  expect(first).not.toBe(second)
  expect(CmsPasswordHash.safeParse(first).success).toBe(true)
  expect(phpass('the same password', first.slice(4, 12), 13)).toBe(first)
})

test.each([
  `it's`,
  `a "quoted" word`,
  'back\\slash',
  '  spaces around\t',
  '\\\'"',
  'ümlaut 🎉',
  '\u000bvertical\u000b',
])('takes %j as PHP would', (password) => {
  const program = 'echo trim(addslashes(stream_get_contents(STDIN)));'
  const php = spawnSync('/usr/bin/php', ['-n', '-r', program], { input: password })
  expect(php.status).toBe(0)
  expect(asTypedAtSignIn(password)).toBe(php.stdout.toString('utf8'))
})
