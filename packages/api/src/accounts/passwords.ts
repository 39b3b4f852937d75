// Password hashes: argon2id with OWASP's parameters (19 MiB, t=2, p=1), at most two at a time and a bounded
// queue behind them, so that a flood of logins cannot take the processor from everything else.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '@reeve/contract/errors.ts'

const deriveKey = promisify(argon2)
const memoryKib = 19_456
const passes = 2
const tagLength = 32
const runningAtOnce = 2
const waitingAtMost = 64

export interface PasswordHasher {
  hash(password: string): Promise<string>
  /** An unknown account (`undefined`) costs the same time as a wrong password. */
  verify(password: string, stored: string | undefined, priority?: 'known-device'): Promise<boolean>
}

export function createPasswordHasher(): PasswordHasher {
  const gate = createGate(runningAtOnce, waitingAtMost)
  const derive = (password: string, nonce: Buffer, priority: boolean) =>
    gate(priority, () => deriveKey('argon2id', parameters(password, nonce)))
  const nobody = randomBytes(16)
  return {
    async hash(password) {
      const nonce = randomBytes(16)
      return encode(nonce, await derive(password, nonce, false))
    },
    async verify(password, stored, priority) {
      const parsed = stored === undefined ? undefined : decode(stored)
      const tag = await derive(password, parsed?.nonce ?? nobody, priority === 'known-device')
      return parsed !== undefined && timingSafeEqual(tag, parsed.tag)
    },
  }
}

function parameters(password: string, nonce: Buffer): Argon2Parameters {
  return { message: password, nonce, parallelism: 1, tagLength, memory: memoryKib, passes }
}

// The PHC string format: https://github.com/P-H-C/phc-string-format
const prefix = `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$`
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const encode = (nonce: Buffer, tag: Buffer) => `${prefix}${base64(nonce)}$${base64(tag)}`

function decode(stored: string): { nonce: Buffer; tag: Buffer } | undefined {
  if (!stored.startsWith(prefix)) return undefined
  const [nonce, tag] = stored.slice(prefix.length).split('$')
  if (!nonce || !tag) return undefined
  const bytes = { nonce: Buffer.from(nonce, 'base64'), tag: Buffer.from(tag, 'base64') }
  return bytes.tag.length === tagLength ? bytes : undefined
}

/** Runs `limit` jobs at a time; jobs of known devices go before the others that wait. */
function createGate(limit: number, queueLimit: number) {
  let running = 0
  const urgent: (() => void)[] = []
  const waiting: (() => void)[] = []
  return async <T>(priority: boolean, job: () => Promise<T>): Promise<T> => {
    if (running >= limit) {
      const queue = priority ? urgent : waiting
      if (queue.length >= queueLimit) {
        throw new AppError('throttled', 'Too many sign-ins at once. Try again in a moment.', {
          retry_after_s: 1,
        })
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      queue.push(resolve)
      await promise
    } else running++
    try {
      return await job()
    } finally {
      // The place passes to the next in line without becoming free in between.
      const next = urgent.shift() ?? waiting.shift()
      if (next) next()
      else running--
    }
  }
}
