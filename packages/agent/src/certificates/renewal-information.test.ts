import { X509Certificate } from 'node:crypto'
import { Domain } from '@reeve/contract/primitives.ts'
import { describe, expect, it } from 'vitest'
import { createAuthority } from './testing/certificates.ts'
import { renewAt } from './facts.ts'
import { isDue } from './renewal.ts'
import { certificateId, RenewalInformation, takeAdvice } from './renewal-information.ts'
import { CertificateState } from './state.ts'

// The key identifier and serial number of the example in RFC 9773, section 4.1.
const authority = createAuthority([
  'subjectKeyIdentifier=69:88:5B:6B:87:46:40:41:E1:B3:7B:84:7B:A0:AE:2C:DE:01:C8:D4',
])
const identified = ['authorityKeyIdentifier=keyid']

describe('the name of a certificate at its authority', () => {
  it('is that of the example in RFC 9773', () => {
    const { certificate } = authority.issue(['example.com'], { serial: '0x87654321', extensions: identified })
    expect(certificateId(new X509Certificate(certificate))).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
  })

  it('does not exist for one that does not say who signed it', () => {
    const { certificate } = authority.issue(['example.com'], { extensions: ['authorityKeyIdentifier=none'] })
    expect(certificateId(new X509Certificate(certificate))).toBeUndefined()
  })
})

const hourMs = 3_600_000
const now = Date.parse('2030-01-01T00:00:00.000Z')
const at = (hours: number) => new Date(now + hours * hourMs).toISOString()
const information = (start: string, end: string) =>
  RenewalInformation.parse({ suggestedWindow: { start, end } })

describe('the advice of an authority', () => {
  it('is followed at a moment within its window', () => {
    const moments = Array.from({ length: 200 }, () =>
      Date.parse(takeAdvice('x.y', information(at(10), at(20)), undefined, null, now).renew_at),
    )
    expect(Math.min(...moments)).toBeGreaterThanOrEqual(now + 10 * hourMs)
    expect(Math.max(...moments)).toBeLessThan(now + 20 * hourMs)
    // Servers that got their certificates together must not come back together.
    expect(new Set(moments).size).toBeGreaterThan(150)
  })

  it('keeps its moment until the window or the certificate is another one', () => {
    const first = takeAdvice('x.y', information(at(10), at(9000)), undefined, null, now)
    const again = takeAdvice('x.y', information(at(10), at(9000)), undefined, first, now)
    expect(again.renew_at).toBe(first.renew_at)
    const moved = takeAdvice('x.y', information(at(-2), at(-1)), undefined, first, now)
    expect(Date.parse(moved.renew_at)).toBeLessThan(now)
    const other = takeAdvice('x.z', information(at(10), at(9000)), undefined, first, now)
    expect(other.renew_at).not.toBe(first.renew_at)
  })

  it.each([
    { said: undefined, hours: 6 },
    { said: 5 * hourMs, hours: 5 },
    { said: 0, hours: 1 / 60 },
    { said: 99 * hourMs, hours: 24 },
  ])('is asked for again after $hours h when the authority says $said ms', ({ said, hours }) => {
    const { next_check_at } = takeAdvice('x.y', information(at(10), at(20)), said, null, now)
    expect(next_check_at).toBe(at(hours))
  })

  it('is not asked to be later than its window when that is empty', () => {
    expect(takeAdvice('x.y', information(at(3), at(3)), undefined, null, now).renew_at).toBe(at(3))
    expect(takeAdvice('x.y', information(at(3), at(1)), undefined, null, now).renew_at).toBe(at(3))
  })
})

describe('a certificate', () => {
  const certificate = new X509Certificate(
    authority.issue(['example.com'], { days: 90, extensions: identified }).certificate,
  )
  const names = [Domain.parse('example.com')]
  const from = certificate.validFromDate.getTime()
  const day = (days: number) => new Date(from + days * 24 * hourMs).toISOString()
  const advice = (renew_at: string, name = certificateId(certificate)!) => ({
    certificate: name,
    window_start: renew_at,
    window_end: renew_at,
    renew_at,
    next_check_at: renew_at,
  })
  const pending = {
    directory: 'https://a.example/dir',
    url: 'https://a.example/order',
    key: '',
    names: [],
    placed_at: day(0),
  }

  it('is renewed after two thirds of its life when nobody says otherwise', () => {
    expect(renewAt(certificate, CertificateState.parse({}))).toBe(day(60))
  })

  it('is not renewed in its first hundredth, whatever the advice', () => {
    const state = CertificateState.parse({ advice: advice(day(-5)) })
    expect(renewAt(certificate, state)).toBe(day(0.9))
  })

  it('is not renewed by advice on the one before it', () => {
    const state = CertificateState.parse({ advice: advice(day(1), 'AAAA.AAAA') })
    expect(renewAt(certificate, state)).toBe(day(60))
  })

  it.each([
    { when: 59, state: {}, due: false },
    { when: 61, state: {}, due: true },
    { when: 100, state: {}, due: true },
    { when: 31, state: { advice: advice(day(30)) }, due: true },
    { when: 61, state: { advice: advice(day(70)) }, due: false },
    { when: 61, state: { retry_at: day(62) }, due: false },
    { when: 61, state: { retry_at: day(60) }, due: true },
    { when: 61, state: { not_before: day(62) }, due: false },
    { when: 1, state: { pending }, due: true },
    { when: 1, state: { pending, retry_at: day(2) }, due: false },
  ])('on day $when with $state: due $due', ({ when, state, due }) => {
    expect(isDue(certificate, names, CertificateState.parse(state), Date.parse(day(when)))).toBe(due)
  })

  it.each([
    { site: ['example.com', 'www.example.com'], state: {}, due: true },
    { site: ['example.com', 'www.example.com'], state: { retry_at: day(2) }, due: false },
    { site: ['sub.example.com'], state: {}, due: true },
    { site: [], state: {}, due: false },
  ])('for example.com is due at once for $site with $state: $due', ({ site, state, due }) => {
    const named = site.map((name) => Domain.parse(name))
    expect(isDue(certificate, named, CertificateState.parse(state), Date.parse(day(1)))).toBe(due)
  })

  it('of our own is never renewed', () => {
    const own = new X509Certificate(authority.certificate)
    expect(isDue(own, names, CertificateState.parse({}), now + 1e13)).toBe(false)
  })
})
