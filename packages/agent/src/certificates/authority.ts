// A conversation with a certificate authority (RFC 8555): directory, nonces, signed requests, bounded retries.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@reeve/contract/errors.ts'
import * as z from 'zod'
import { AuthorityError, kindOf, Problem, wordsOf } from './authority-error.ts'
import { ask, type AuthorityAnswer, authorityConnections, retryAfterMs } from './authority-http.ts'
import type { AcmeSettings } from './settings.ts'

/** An authority may name a path of its own only; nothing else may be fetched in its name. */
export const AuthorityUrl = z.url({ protocol: /^https$/ })

const Directory = z.object({
  newNonce: AuthorityUrl,
  newAccount: AuthorityUrl,
  newOrder: AuthorityUrl,
  revokeCert: AuthorityUrl.optional(),
  renewalInfo: AuthorityUrl.optional(),
  meta: z.object({ externalAccountRequired: z.boolean().optional() }).optional(),
})

export interface AccountKey {
  key: KeyObject
  /** URL of the account; absent until the authority has told it. */
  url?: string
}

export interface Authority extends Disposable {
  /** Host name, for sentences. */
  readonly name: string
  readonly directory: z.infer<typeof Directory>
  /** A signed request; without a payload it reads (POST-as-GET). */
  post(account: AccountKey, url: string, payload?: object): Promise<AuthorityAnswer>
  get(url: string): Promise<AuthorityAnswer>
  readonly signal: AbortSignal
}

// An authority under load refuses nonces one after the other; this many in a row is an authority that is broken.
const nonceAttempts = 100
const attempts = 5
const longestWaitMs = 10_000

export async function openAuthority(settings: AcmeSettings, signal: AbortSignal): Promise<Authority> {
  const agent = authorityConnections(settings.ca)
  const name = new URL(settings.directory).host
  const nonces: string[] = []
  const exchange = { agent, name, signal, nonces }
  try {
    const answer = await persist(exchange, () =>
      ask(agent, { method: 'GET', url: settings.directory }, signal),
    )
    const directory = parseAnswer(name, Directory, answer)
    return {
      name,
      directory,
      signal,
      get: (url) => persist(exchange, () => ask(agent, { method: 'GET', url }, signal)),
      post: (account, url, payload) =>
        persist(exchange, async () => {
          const nonce = nonces.pop() ?? (await freshNonce(exchange, directory.newNonce))
          return ask(agent, { method: 'POST', url, body: signed(account, url, nonce, payload) }, signal)
        }),
      [Symbol.dispose]: () => agent.destroy(),
    }
  } catch (error) {
    agent.destroy()
    throw error
  }
}

interface Exchange {
  agent: Agent
  name: string
  signal: AbortSignal
  /** Each may be used once. */
  nonces: string[]
}

/** Asks again after a refused nonce, a lost connection and a server error, a bounded number of times. */
async function persist(
  { name, signal, nonces }: Exchange,
  attempt: () => Promise<AuthorityAnswer>,
): Promise<AuthorityAnswer> {
  let refusedNonces = 0
  for (let failures = 0; ; ) {
    const answer = await attempt().catch((error: unknown) => lostConnection(name, error, signal))
    if (answer instanceof AppError) {
      if (++failures === attempts) throw answer
      await sleep(250 * 2 ** failures, undefined, { signal })
      continue
    }
    rememberNonce(nonces, answer)
    if (answer.status < 400) return answer
    const error = errorOf(name, answer)
    if (error.kind === 'badNonce' && ++refusedNonces < nonceAttempts) {
      await sleep(Math.min(5 * refusedNonces, 50), undefined, { signal })
      continue
    }
    const waitMs = error.waitMs ?? 250 * 2 ** failures
    if (error.httpStatus < 500 || waitMs > longestWaitMs || ++failures === attempts) throw error
    await sleep(waitMs, undefined, { signal })
  }
}

function lostConnection(name: string, error: unknown, signal: AbortSignal): AppError {
  if (error instanceof AppError) throw error
  if (signal.aborted) {
    throw new AppError('internal', `${name} took too long; nothing was changed. Try again later.`, {}, error)
  }
  const reason = error instanceof Error ? error.message || error.name : String(error)
  return new AppError(
    'internal',
    `${name} could not be reached: ${reason}. Check that this server has a way to it.`,
    {},
    error,
  )
}

async function freshNonce(exchange: Exchange, url: string): Promise<string> {
  const answer = await ask(exchange.agent, { method: 'HEAD', url }, exchange.signal)
  const nonce = answer.headers['replay-nonce']
  if (answer.status < 400 && typeof nonce === 'string') return nonce
  throw errorOf(exchange.name, answer)
}

function rememberNonce(nonces: string[], { headers }: AuthorityAnswer): void {
  const nonce = headers['replay-nonce']
  if (typeof nonce === 'string' && nonces.length < 20) nonces.push(nonce)
}

/** An hour is what a limit without a time of its own is given. */
const limitWaitMs = 3_600_000

function errorOf(name: string, answer: AuthorityAnswer): AuthorityError {
  const problem = Problem.safeParse(tryJson(answer.text))
  const kind = problem.success ? kindOf(problem.data) : 'none'
  const isLimit = answer.status === 429 || kind === 'rateLimited'
  const waitMs = retryAfterMs(answer.headers, Date.now()) ?? (isLimit ? limitWaitMs : undefined)
  const words = problem.success ? wordsOf(problem.data) : ''
  const said = words ? `says: "${words}"` : `answered ${answer.status} without a reason.`
  return new AuthorityError(`${name} ${said}`, { kind, httpStatus: answer.status, waitMs })
}

export function parseAnswer<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  answer: AuthorityAnswer,
): z.output<Schema> {
  const parsed = schema.safeParse(tryJson(answer.text))
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.join('.') || 'its form'
  throw new AppError('internal', `${name} gave an answer that is not ACME (RFC 8555): ${where} is wrong.`)
}

export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const newAccountKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

export const accountKeyFromPem = (pem: string): KeyObject => createPrivateKey(pem)

/** Members in the order of RFC 7638, which a thumbprint hashes. */
export function publicJwk(key: KeyObject): { crv: string; kty: string; x: string; y: string } {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return { crv: 'P-256', kty: 'EC', x, y }
}

/** A JWS in flattened form (RFC 7515), signed with ES256. */
export function signed(account: AccountKey, url: string, nonce: string, payload?: object): string {
  const identity = account.url === undefined ? { jwk: publicJwk(account.key) } : { kid: account.url }
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = encoded({ alg: 'ES256', nonce, url, ...identity })
  const body = payload === undefined ? '' : encoded(payload)
  const signature = sign('sha256', Buffer.from(`${header}.${body}`), {
    key: account.key,
    dsaEncoding: 'ieee-p1363',
  })
  return JSON.stringify({ protected: header, payload: body, signature: signature.toString('base64url') })
}
