// SHA-512-crypt, the `$6$` of crypt(5): what the system's password files and nginx's own prompt verify.
// Source: Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", https://www.akkadia.org/drepper/SHA-crypt.txt
import { createHash, randomBytes } from 'node:crypto'

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const defaultRounds = 5000

/** `$6$<salt>$<86 characters>`; the salt is random unless given. */
export function sha512Crypt(password: string, salt: string = randomSalt()): string {
  if (!/^[./0-9A-Za-z]{1,16}$/.test(salt)) throw new Error('the salt of a password hash is not valid')
  return `$6$${salt}$${encode(digest(Buffer.from(password, 'utf8'), Buffer.from(salt, 'latin1')))}`
}

function randomSalt(): string {
  return Array.from(randomBytes(16), (byte) => alphabet[byte & 63]).join('')
}

const sha512 = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** `bytes` over and over, cut to `length`. */
const repeated = (bytes: Uint8Array, length: number): Buffer => Buffer.alloc(length, bytes)

function digest(key: Buffer, salt: Buffer): Buffer {
  const alternate = sha512(key, salt, key)
  const mixed: Buffer[] = [key, salt, repeated(alternate, key.length)]
  for (let bits = key.length; bits > 0; bits >>= 1) mixed.push(bits & 1 ? alternate : key)
  const first = sha512(...mixed)

  const keyBytes = repeated(sha512(repeated(key, key.length * key.length)), key.length)
  const saltBytes = repeated(sha512(repeated(salt, salt.length * (16 + (first[0] ?? 0)))), salt.length)

  let result = first
  for (let round = 0; round < defaultRounds; round++) {
    const parts = [round & 1 ? keyBytes : result]
    if (round % 3 !== 0) parts.push(saltBytes)
    if (round % 7 !== 0) parts.push(keyBytes)
    parts.push(round & 1 ? result : keyBytes)
    result = sha512(...parts)
  }
  return result
}

/** The 64 bytes in groups of three, in an order of their own, six bits a character. */
function encode(bytes: Buffer): string {
  const at = (index: number) => bytes[index] ?? 0
  const characters = (value: number, count: number) =>
    Array.from({ length: count }, (_, index) => alphabet[(value >> (6 * index)) & 63]).join('')
  let text = ''
  let [a, b, c] = [0, 21, 42]
  for (let group = 0; group < 21; group++) {
    text += characters((at(a) << 16) | (at(b) << 8) | at(c), 4)
    ;[a, b, c] = [b + 1, c + 1, a + 1]
  }
  return text + characters(at(63), 2)
}
