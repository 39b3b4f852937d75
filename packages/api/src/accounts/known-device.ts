// A browser that has signed in to an account before carries a signed cookie. It is no credential: it only
// keeps the delays that strangers cause from holding up the account's owner.
import { timingSafeEqual } from 'node:crypto'
import { newToken } from '../ids.ts'
import type { Secrets } from './secrets.ts'
import { sha256 } from './secrets.ts'
import { readCookie } from './sessions.ts'

const deviceCookie = '__Host-reeve-device'
const lifetimeS = 180 * 24 * 60 * 60

/** Name of the device that signed in to this account before, or undefined. */
export function knownDevice(
  secrets: Secrets,
  accountId: string,
  cookies: string | undefined,
): string | undefined {
  const [device, signature] = (readCookie(cookies, deviceCookie) ?? '').split('.')
  if (!device || !signature) return undefined
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(secrets, accountId, device))]
  return given.length === expected.length && timingSafeEqual(given, expected) ? device : undefined
}

export function deviceCookieFor(
  secrets: Secrets,
  accountId: string,
  device = newToken().slice(0, 22),
): string {
  const value = `${device}.${sign(secrets, accountId, device)}`
  return `${deviceCookie}=${value}; Path=/; Max-Age=${lifetimeS}; HttpOnly; Secure; SameSite=Strict`
}

// The account's id goes in as a digest: the cookie of one account is worth nothing for another.
const sign = (secrets: Secrets, accountId: string, device: string) =>
  secrets.sign(`${sha256(accountId)}.${device}`)
