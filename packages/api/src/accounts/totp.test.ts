import { describe, expect, test } from 'vitest'
import { base32, matchingStep, otpauthUrl, timeStep, totpCode } from './totp.ts'

const seed = Buffer.from('12345678901234567890')

describe('RFC 6238, appendix B', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %i s', (seconds, code) => {
    expect(totpCode(seed, timeStep(seconds * 1000), 8)).toBe(code)
  })
})

describe('RFC 4648, section 10', () => {
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('%s', (plain, text) => expect(base32(Buffer.from(plain))).toBe(text))
})

describe('a code is accepted', () => {
  const now = 1_700_000_000_000
  const step = timeStep(now)

  test.each([-1, 0, 1])('%i steps away', (away) => {
    expect(matchingStep(seed, totpCode(seed, step + away), now, 0)).toBe(step + away)
  })
  test('typed with a space', () => {
    const code = totpCode(seed, step)
    expect(matchingStep(seed, `${code.slice(0, 3)} ${code.slice(3)}`, now, 0)).toBe(step)
  })
  test('but not two steps away', () => {
    expect(matchingStep(seed, totpCode(seed, step + 2), now, 0)).toBeUndefined()
    expect(matchingStep(seed, totpCode(seed, step - 2), now, 0)).toBeUndefined()
  })
  test('but not at or before the last step that was used, also when the clock went back', () => {
    expect(matchingStep(seed, totpCode(seed, step), now, step)).toBeUndefined()
    expect(matchingStep(seed, totpCode(seed, step - 1), now, step)).toBeUndefined()
    expect(matchingStep(seed, totpCode(seed, step + 1), now, step)).toBe(step + 1)
  })
  test.each(['', '12345', '1234567', 'abcdef', '１２３４５６'])('but not %j', (code) => {
    expect(matchingStep(seed, code, now, 0)).toBeUndefined()
  })
})

test('the address for the QR code escapes what an e-mail may hold', () => {
  const url = new URL(otpauthUrl('Reeve host', 'a+b@example.test', seed))
  expect(url.searchParams.get('secret')).toBe(base32(seed))
  expect(decodeURIComponent(url.pathname)).toBe('/Reeve host:a+b@example.test')
})
