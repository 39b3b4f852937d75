// Growing delays after wrong passwords, per account and per source network; nobody is ever locked out for
// good. Kept in memory and bounded: a restart forgets, which costs an attacker nothing but the wait.
import { AppError } from '@reeve/contract/errors.ts'

export interface LoginThrottle {
  /**
   * Throws `throttled` when one of the keys has to wait. Otherwise the attempt counts as a failure at once,
   * so that a thousand attempts side by side are not all taken for the first.
   */
  attempt(keys: readonly ThrottleKey[]): void
  /** Takes one attempt back: it was neither right nor wrong. */
  forgive(keys: readonly ThrottleKey[]): void
  succeeded(keys: readonly ThrottleKey[]): void
}

export interface ThrottleKey {
  readonly kind: 'account' | 'source' | 'device'
  readonly name: string
}

interface Bucket {
  failures: number
  waitUntil: number
  lastFailure: number
}

// An account waits at most 4 s, so that strangers who guess cannot keep its owner out.
const rules = {
  account: { free: 5, longestMs: 4000 },
  source: { free: 10, longestMs: 60_000 },
  device: { free: 5, longestMs: 60_000 },
} as const
const forgottenAfterMs = 60 * 60 * 1000
const bucketsAtMost = 20_000

export function createLoginThrottle(now: () => number = Date.now): LoginThrottle {
  const buckets = new Map<string, Bucket>()
  const nameOf = (key: ThrottleKey) => `${key.kind} ${key.name}`
  const forgive = (key: ThrottleKey) => {
    const bucket = buckets.get(nameOf(key))
    if (bucket) bucket.failures = Math.max(0, bucket.failures - 1)
  }
  return {
    attempt(keys) {
      // Somebody who has failed nowhere yet gets one try whatever strangers did to the account before:
      // its owner gets in from a new place too.
      const source = keys.find(({ kind }) => kind === 'source')
      const isNewcomer = source !== undefined && fresh(buckets.get(nameOf(source)), now()).failures === 0
      const counting = keys.filter(({ kind }) => kind !== 'account' || !isNewcomer)
      const waits = counting.map((key) => (buckets.get(nameOf(key))?.waitUntil ?? 0) - now())
      const waitMs = Math.max(0, ...waits)
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000))
      for (const key of keys) count(buckets, nameOf(key), rules[key.kind], now())
      for (const name of buckets.keys()) {
        if (buckets.size <= bucketsAtMost) break
        buckets.delete(name)
      }
    },
    forgive(keys) {
      keys.forEach(forgive)
    },
    succeeded(keys) {
      for (const key of keys) {
        // Signing in to one's own account must not wipe out one's guesses at others from the same place.
        if (key.kind === 'source') forgive(key)
        else buckets.delete(nameOf(key))
      }
    },
  }
}

function count(
  buckets: Map<string, Bucket>,
  name: string,
  rule: { free: number; longestMs: number },
  now: number,
): void {
  const bucket = fresh(buckets.get(name), now)
  bucket.failures++
  bucket.lastFailure = now
  const beyond = bucket.failures - rule.free
  if (beyond > 0) bucket.waitUntil = now + Math.min(rule.longestMs, 500 * 2 ** Math.min(beyond, 20))
  // Insertion order is age: re-inserting keeps the busiest, the first is the stalest.
  buckets.delete(name)
  buckets.set(name, bucket)
}

function fresh(bucket: Bucket | undefined, now: number): Bucket {
  if (bucket && now - bucket.lastFailure < forgottenAfterMs) return bucket
  return { failures: 0, waitUntil: 0, lastFailure: now }
}

const tooMany = (seconds: number) =>
  new AppError('throttled', `Too many wrong sign-ins. Try again in ${seconds} s.`, { retry_after_s: seconds })

/** The network a source is counted by: one IPv4 address, or the /64 of an IPv6 one. */
export function sourceNetwork(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
