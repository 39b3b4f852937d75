import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { PublicKey } from './access.ts'
import { parsePublicKey } from './ssh-public-key.ts'

const folder = mkdtempSync('/var/tmp/reeve-keys-')
afterAll(() => rmSync(folder, { recursive: true }))

let made = 0
function makeKey(type: string, bits: string, comment: string): { line: string; fingerprint: string } {
  const path = join(folder, String(++made))
  execFileSync('/usr/bin/ssh-keygen', ['-q', '-t', type, '-b', bits, '-N', '', '-C', comment, '-f', path])
  const printed = execFileSync('/usr/bin/ssh-keygen', ['-l', '-f', `${path}.pub`], { encoding: 'utf8' })
  return { line: readFileSync(`${path}.pub`, 'utf8'), fingerprint: /SHA256:(\S+)/.exec(printed)?.[1] ?? '' }
}

const field = (bytes: Uint8Array | string) => {
  const body = Buffer.from(bytes as string) // both overloads copy
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
const lineOf = (type: string, ...fields: (Uint8Array | string)[]) =>
  `${type} ${Buffer.concat([field(type), ...fields.map(field)]).toString('base64')}`
const problemOf = (line: string) => {
  const parsed = parsePublicKey(line)
  return 'problem' in parsed ? parsed.problem : undefined
}

describe('keys that ssh-keygen makes', () => {
  it.each([
    ['ed25519', '256'],
    ['ecdsa', '256'],
    ['ecdsa', '384'],
    ['ecdsa', '521'],
    ['rsa', '2048'],
    ['rsa', '3072'],
  ])('%s %s is taken, written anew, and is the same key', (type, bits) => {
    const { line, fingerprint } = makeKey(type, bits, 'me@laptop <script>')
    const parsed = parsePublicKey(line)
    if ('problem' in parsed) throw new Error(parsed.problem)
    expect(parsed.key.comment).toBe('me@laptop <script>')
    expect(`${parsed.key.text} me@laptop <script>\n`).toBe(line)
    expect(createHash('sha256').update(parsed.key.blob).digest('base64').replace('=', '')).toBe(fingerprint)
    expect(PublicKey.safeParse(parsed.key.text).success).toBe(true)
  })

  it('with a chip are taken', () => {
    const point = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)])
    expect(problemOf(lineOf('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 7), 'ssh:'))).toBeUndefined()
    expect(problemOf(lineOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point, 'ssh:'))).toBeUndefined()
    expect(problemOf(lineOf('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 7)))).toBeDefined()
  })

  it('that are too short are refused by their length', () => {
    const { line } = makeKey('rsa', '1024', 'old')
    expect(problemOf(line)).toContain('is an RSA key of 1024 bits')
    expect(problemOf(lineOf('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(255, 0x7f)))).toContain(
      '2039 bits',
    )
  })
})

const { line: good } = makeKey('ed25519', '256', '')
const [type = '', base64 = ''] = good.trim().split(' ')

describe('what is no key is refused', () => {
  it.each([
    ['an option', `command="sh" ${good}`],
    ['an option without a command', `no-pty ${good}`],
    ['a second line', `${type} ${base64} x\nssh-ed25519 AAAA`],
    ['a carriage return', `${type} ${base64} x\rcommand="sh"`],
    ['a certificate', `ssh-ed25519-cert-v01@openssh.com ${base64}`],
    ['a DSA key', `ssh-dss ${base64}`],
    ['a type that does not match', `ssh-rsa ${base64}`],
    ['a type of an object', `constructor ${base64}`],
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n-----END OPENSSH PRIVATE KEY-----'],
    ['a cut key', `${type} ${base64.slice(0, -8)}`],
    [
      'a key with more behind it',
      `${type} ${Buffer.concat([Buffer.from(base64, 'base64'), Buffer.alloc(3)]).toString('base64')}`,
    ],
    ['base64 of another alphabet', `${type} ${base64.replace(/.$/, '-')}`],
    ['base64 with a second way to write it', `${type} ${base64.slice(0, -1)}=`],
    ['a wrong curve', lineOf('ecdsa-sha2-nistp256', 'nistp384', Buffer.alloc(97, 4))],
    ['a compressed point', lineOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.alloc(33, 2))],
    ['a short Edwards key', lineOf('ssh-ed25519', Buffer.alloc(31))],
    ['a negative modulus', lineOf('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(256, 0xff))],
    [
      'a padded modulus',
      lineOf('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.concat([Buffer.alloc(9), Buffer.alloc(256, 0x55)])),
    ],
    [
      'an even exponent',
      lineOf('ssh-rsa', Buffer.from([4]), Buffer.concat([Buffer.alloc(1), Buffer.alloc(256, 0xff)])),
    ],
    ['nothing', ''],
    ['a type alone', type],
  ])('%s', (_name, line) => {
    expect(problemOf(line)).toBeDefined()
    expect(PublicKey.safeParse(line).success).toBe(false)
  })

  it('with its type named when it is old', () => {
    expect(problemOf(`ssh-dss ${base64}`)).toContain('is a DSA key')
  })

  it('whatever bytes are changed or cut, it is the same kind of key or none', () => {
    const bytes = Buffer.from(base64, 'base64')
    for (let round = 0; round < 2000; round++) {
      const changed = Buffer.from(
        bytes.subarray(0, round % 3 === 0 ? Math.floor(Math.random() * bytes.length) : bytes.length),
      )
      if (changed.length > 0)
        changed[Math.floor(Math.random() * changed.length)] = Math.floor(Math.random() * 256)
      const parsed = parsePublicKey(`${type} ${changed.toString('base64')}`)
      if ('key' in parsed)
        expect([parsed.key.blob.length, parsed.key.text.split(' ')[0]]).toEqual([bytes.length, type])
    }
  })
})

it('a comment cannot hide or turn around what stands beside it', () => {
  const parsed = parsePublicKey(`${type} ${base64}\ta\u202eb\u0007c \u200b ${'x'.repeat(300)}`)
  expect('key' in parsed && parsed.key.comment).toBe(`a b c ${'x'.repeat(94)}`)
})
