import { AppError } from '@reeve/contract/errors.ts'
import { describe, expect, test } from 'vitest'
import { createLoginThrottle, sourceNetwork, type ThrottleKey } from './throttle.ts'

function waitOf(attempt: () => void): number {
  try {
    attempt()
    return 0
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return error instanceof AppError ? Number(error.details['retry_after_s']) : Number.NaN
  }
}

const account: ThrottleKey[] = [{ kind: 'account', name: 'a@example.test' }]
const source: ThrottleKey[] = [{ kind: 'source', name: '192.0.2.1' }]

describe('the login throttle', () => {
  test('lets a few wrong tries through, then makes each wait longer, an account never more than 4 s', () => {
    let now = 0
    const throttle = createLoginThrottle(() => now)
    const waits: number[] = []
    for (let tries = 0; tries < 12; tries++) {
      const wait = waitOf(() => throttle.attempt(account))
      waits.push(wait)
      now += wait * 1000
      if (wait > 0) throttle.attempt(account)
    }
    expect(waits.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0])
    expect(waits.slice(6, 9)).toEqual([1, 2, 4])
    expect(Math.max(...waits)).toBe(4)
  })

  test('gives each new source one try at an account that strangers keep busy', () => {
    const throttle = createLoginThrottle(() => 0)
    const from = (name: string): ThrottleKey[] => [...account, { kind: 'source', name }]
    for (let index = 0; index < 50; index++) throttle.attempt(from(`stranger ${index}`))
    expect(waitOf(() => throttle.attempt(from('stranger 1')))).toBe(4)
    expect(waitOf(() => throttle.attempt(from('the owner')))).toBe(0)
    expect(waitOf(() => throttle.attempt(from('the owner')))).toBe(4)
  })

  test('makes a source wait up to a minute', () => {
    let now = 0
    const throttle = createLoginThrottle(() => now)
    let longest = 0
    for (let tries = 0; tries < 40; tries++) {
      const wait = waitOf(() => throttle.attempt(source))
      longest = Math.max(longest, wait)
      now += wait * 1000
    }
    expect(longest).toBe(60)
  })

  test('counts tries that run side by side before any of them is judged', () => {
    const throttle = createLoginThrottle(() => 0)
    const through = Array.from({ length: 1000 }, () => waitOf(() => throttle.attempt(account))).filter(
      (wait) => wait === 0,
    )
    expect(through.length).toBe(6)
  })

  test('forgets after success and after an hour, and takes a forgiven try back', () => {
    let now = 0
    const throttle = createLoginThrottle(() => now)
    const fill = () => {
      while (waitOf(() => throttle.attempt(account)) === 0);
    }
    fill()
    throttle.succeeded(account)
    expect(waitOf(() => throttle.attempt(account))).toBe(0)
    fill()
    now += 61 * 60 * 1000
    for (let tries = 0; tries < 5; tries++) {
      expect(waitOf(() => throttle.attempt(account))).toBe(0)
      throttle.forgive(account)
    }
    for (let tries = 0; tries < 6; tries++) expect(waitOf(() => throttle.attempt(account))).toBe(0)
  })

  test('does not grow with the number of sources', () => {
    const throttle = createLoginThrottle(() => 0)
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < 300_000; index++)
      throttle.attempt([{ kind: 'source', name: `source ${index}` }])
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 1024 * 1024)
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s', (address, network) => expect(sourceNetwork(address)).toBe(network))
