import { execFileSync } from 'node:child_process'
import { BasicAuth } from '@reeve/contract/site-values.ts'
import { describe, expect, test } from 'vitest'
import { sha512Crypt } from './sha512-crypt.ts'

const ofOpenssl = (password: string, salt: string) =>
  execFileSync('openssl', ['passwd', '-6', '-salt', salt, '-stdin'], {
    input: `${password}\n`,
    encoding: 'utf8',
  }).trim()

const ofGlibc = (password: string, salt: string) =>
  execFileSync('perl', ['-e', 'local $/; my $p = <STDIN>; print crypt($p, $ARGV[0])', '--', `$6$${salt}$`], {
    input: password,
    encoding: 'utf8',
  })

const passwords = [
  'Hello world!',
  'a',
  'correct horse battery staple',
  'Straße 7 – 東京',
  'x'.repeat(63),
  'y'.repeat(64),
  'z'.repeat(65),
  'w'.repeat(128),
  'v'.repeat(200),
]

describe('SHA-512-crypt', () => {
  for (const password of passwords) {
    test(`equals OpenSSL and glibc for a password of ${Buffer.byteLength(password)} bytes`, () => {
      for (const salt of ['a', '0123456789./ABCD']) {
        const hash = sha512Crypt(password, salt)
        expect(hash).toBe(ofOpenssl(password, salt))
        expect(hash).toBe(ofGlibc(password, salt))
      }
    })
  }
  test('takes a new salt each time, in the shape that the contract lets through', () => {
    const hashes = new Set(Array.from({ length: 20 }, () => sha512Crypt('the same password')))
    expect(hashes.size).toBe(20)
    for (const hash of hashes) expect(BasicAuth.shape.password_hash.safeParse(hash).success).toBe(true)
  })
  test('refuses a salt that would end the field', () => {
    for (const salt of ['', 'a$b', 'a:b', 'a\nb', 'x'.repeat(17)]) {
      expect(() => sha512Crypt('password', salt)).toThrow('salt')
    }
  })
})
