// WordPress's portable password hash (phpass, "$P$"): WordPress verifies it and replaces it with its own
// at the first sign-in. Made here so that the password itself is stored and sent nowhere.
import { hash as digest, randomBytes } from 'node:crypto'

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const roundsLog2 = 13

export function hashForWordPress(password: string): string {
  return phpass(asTypedAtSignIn(password), newSalt(), roundsLog2)
}

/**
 * WordPress checks what its sign-in form sent with slashes added (`wp_magic_quotes`) and white space
 * trimmed, both as PHP does it.
 */
export function asTypedAtSignIn(password: string): string {
  const slashed = password.replaceAll(/['"\\]/g, '\\$&').replaceAll('\0', '\\0')
  return slashed.replaceAll(/^[ \n\r\t\v\0]+|[ \n\r\t\v\0]+$/g, '')
}

/** The portable hash of phpass: https://www.openwall.com/phpass/ */
export function phpass(text: string, salt: string, log2: number): string {
  const bytes = Buffer.from(text)
  let state = digest('md5', Buffer.concat([Buffer.from(salt), bytes]), 'buffer')
  for (let round = 0; round < 1 << log2; round++) {
    state = digest('md5', Buffer.concat([state, bytes]), 'buffer')
  }
  return `$P$${alphabet[log2]}${salt}${encode64(state)}`
}

function newSalt(): string {
  return [...randomBytes(8)].map((byte) => alphabet[byte & 63]).join('')
}

// Three bytes become four letters, the lowest six bits first.
function encode64(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3)
    const value = group.reduce((sum, byte, index) => sum | (byte << (8 * index)), 0)
    for (let letter = 0; letter <= group.length; letter++) text += alphabet[(value >> (6 * letter)) & 63]
  }
  return text
}
