// RFC 9773: a certificate's name at its authority, and when that authority would like it to be renewed.
import { randomInt, type X509Certificate } from 'node:crypto'
import { Timestamp } from '@reeve/contract/primitives.ts'
import * as z from 'zod'
import { type Element, oid, readElements, tags } from './der.ts'

const authorityKeyIdentifier = oid('2.5.29.35')

/** `<authority key identifier>.<serial number>`, or undefined when the certificate names no authority key. */
export function certificateId(certificate: X509Certificate): string | undefined {
  const [whole] = readElements(certificate.raw)
  const [signed] = readElements(whole?.contents ?? Buffer.alloc(0))
  const fields = readElements(signed?.contents ?? Buffer.alloc(0))
  const serial = fields.find(({ tag }) => tag === tags.integer)
  const key = keyIdentifier(fields)
  if (!serial || !key) return undefined
  return `${key.toString('base64url')}.${serial.contents.toString('base64url')}`
}

function keyIdentifier(fields: readonly Element[]): Buffer | undefined {
  const [list] = readElements(fields.find(({ tag }) => tag === 0xa3)?.contents ?? Buffer.alloc(0))
  for (const { contents } of readElements(list?.contents ?? Buffer.alloc(0))) {
    if (!contents.subarray(0, authorityKeyIdentifier.length).equals(authorityKeyIdentifier)) continue
    const value = readElements(contents).find(({ tag }) => tag === tags.octetString)
    const [identifier] = readElements(value?.contents ?? Buffer.alloc(0))
    return readElements(identifier?.contents ?? Buffer.alloc(0)).find(({ tag }) => tag === 0x80)?.contents
  }
  return undefined
}

export const RenewalInformation = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
  explanationURL: z.string().optional(),
})
export type RenewalInformation = z.infer<typeof RenewalInformation>

/** What is remembered of an authority's advice on one certificate. */
export const RenewalAdvice = z.object({
  /** The certificate it is about, as RFC 9773 names it. */
  certificate: z.string(),
  window_start: Timestamp,
  window_end: Timestamp,
  renew_at: Timestamp,
  next_check_at: Timestamp,
})
export type RenewalAdvice = z.infer<typeof RenewalAdvice>

const hourMs = 3_600_000

/** A moment by chance within the window, kept as long as the authority does not move the window. */
export function takeAdvice(
  certificate: string,
  { suggestedWindow }: RenewalInformation,
  retryAfterMs: number | undefined,
  before: RenewalAdvice | null,
  now: number,
): RenewalAdvice {
  const start = Date.parse(suggestedWindow.start)
  const end = Date.parse(suggestedWindow.end)
  const window = { window_start: new Date(start).toISOString(), window_end: new Date(end).toISOString() }
  const isSame =
    before?.certificate === certificate &&
    before.window_start === window.window_start &&
    before.window_end === window.window_end
  const chosen = start + (end > start ? randomInt(Math.min(end - start, 2 ** 47)) : 0)
  // RFC 9773 section 4.3.2: within a minute to a day, whatever the authority says.
  const wait = Math.min(Math.max(retryAfterMs ?? 6 * hourMs, 60_000), 24 * hourMs)
  return {
    certificate,
    ...window,
    renew_at: isSame ? before.renew_at : new Date(chosen).toISOString(),
    next_check_at: new Date(now + wait).toISOString(),
  }
}
