// Time-based one-time passwords (RFC 6238: SHA-1, 30 s, 6 digits, what every authenticator app knows) and
// base32 (RFC 4648).
import { createHmac, randomBytes } from 'node:crypto'

const stepSeconds = 30
const seedBytes = 20
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const newSeed = (): Buffer => randomBytes(seedBytes)

export const timeStep = (nowMs: number): number => Math.floor(nowMs / 1000 / stepSeconds)

export function totpCode(seed: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', seed).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step whose code this is, one step of clock difference either way, or undefined. A step up to
 * `lastStep` was used already and is not looked at again.
 */
export function matchingStep(
  seed: Buffer,
  code: string,
  nowMs: number,
  lastStep: number,
): number | undefined {
  const typed = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(typed)) return undefined
  const now = timeStep(nowMs)
  return [now - 1, now, now + 1].find((step) => step > lastStep && totpCode(seed, step) === typed)
}

export function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(value >> bits) & 31]
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}

/** What the QR code holds: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function otpauthUrl(issuer: string, email: string, seed: Buffer): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${base32(seed)}&issuer=${encodeURIComponent(issuer)}`
}
