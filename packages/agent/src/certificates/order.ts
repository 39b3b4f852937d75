// One order at an authority (RFC 8555 section 7.4): place it, prove the names, hand in the request, fetch the chain.
import { createHash, type KeyObject } from 'node:crypto'
import { existsSync, readdirSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain } from '@reeve/contract/primitives.ts'
import * as z from 'zod'
import { replaceFile } from '../managed-file.ts'
import { type AccountKey, type Authority, AuthorityUrl, parseAnswer, publicJwk } from './authority.ts'
import { AuthorityError, kindOf, Problem, wordsOf } from './authority-error.ts'
import { type AuthorityAnswer, retryAfterMs } from './authority-http.ts'
import { signingRequest } from './signing-request.ts'

const Order = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(AuthorityUrl).max(100),
  finalize: AuthorityUrl,
  certificate: AuthorityUrl.optional(),
  error: Problem.optional(),
})
export type Order = z.infer<typeof Order>

// It becomes a file name: RFC 8555 section 8.3 promises base64url, and this is where that is checked.
const Token = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/)

const Challenge = z.object({
  type: z.string(),
  status: z.string().optional(),
  url: AuthorityUrl,
  token: Token.optional(),
  error: Problem.optional(),
})

const Authorization = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  identifier: z.object({ value: z.string() }),
  challenges: z.array(Challenge),
})
type Authorization = z.infer<typeof Authorization>

/** An authority and our account there. */
export interface Party {
  authority: Authority
  account: AccountKey
}

/** Places an order. `replaces` names the certificate it renews (RFC 9773 section 5). */
export async function placeOrder(
  { authority, account }: Party,
  names: readonly Domain[],
  replaces: string | undefined,
): Promise<string> {
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  const place = (more: object) =>
    authority.post(account, authority.directory.newOrder, { identifiers, ...more })
  const answer = await (replaces === undefined
    ? place({})
    : place({ replaces }).catch((error: unknown) => {
        // Only advice: a certificate that was replaced already, say, can still be ordered anew.
        const isAboutIt = error instanceof AuthorityError && error.isFinal
        if (isAboutIt && error.kind !== 'accountDoesNotExist') return place({})
        throw error
      }))
  const url = AuthorityUrl.safeParse(answer.headers.location)
  if (url.success) return url.data
  throw new AppError('internal', `${authority.name} did not say where the order is.`)
}

export async function readOrder({ authority, account }: Party, url: string): Promise<Order> {
  return parseAnswer(authority.name, Order, await authority.post(account, url))
}

/** Answers the challenge of every name and waits until the authority has seen all of them. */
export async function proveNames(
  party: Party,
  order: Order,
  folder: string,
  onAnswerable: () => void,
): Promise<void> {
  const { authority, account } = party
  const read = async (url: string) =>
    parseAnswer(authority.name, Authorization, await authority.post(account, url))
  const open: { url: string; challenge: string; file: string }[] = []
  try {
    for (const url of order.authorizations) {
      const authorization = await read(url)
      // Proven by an earlier order, which the authority still honours.
      if (authorization.status === 'valid') continue
      const { challenge, token } = httpChallenge(authority.name, authorization)
      const file = join(folder, token)
      replaceFile(file, `${token}.${thumbprint(account.key)}`, { mode: 0o644 })
      open.push({ url, challenge, file })
    }
    onAnswerable()
    for (const { url, challenge } of open) {
      await authority.post(account, challenge, {}).catch(async (error: unknown) => {
        // An attempt that was killed may have asked for the check already; its state tells.
        if (httpChallenge(authority.name, await read(url)).status === 'pending') throw error
      })
    }
    for (const { url } of open) {
      const authorization = await poll(
        authority,
        () => authority.post(account, url),
        Authorization,
        ({ status }) => status !== 'pending',
      )
      if (authorization.status !== 'valid') throw notProven(authority.name, authorization)
    }
  } finally {
    for (const { file } of open) if (existsSync(file)) unlinkSync(file)
  }
}

const challengeLivesMs = 24 * 3_600_000

/** What attempts that were killed left behind. */
export function removeOldChallenges(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (now - statSync(file).mtimeMs > challengeLivesMs) unlinkSync(file)
  }
}

interface HttpChallenge {
  challenge: string
  token: string
  status: string | undefined
}

function httpChallenge(name: string, authorization: Authorization): HttpChallenge {
  if (authorization.status !== 'pending' && authorization.status !== 'valid')
    throw notProven(name, authorization)
  const found = authorization.challenges.find(({ type }) => type === 'http-01')
  if (found?.token !== undefined) return { challenge: found.url, token: found.token, status: found.status }
  throw new AppError(
    'refused',
    `${name} offers no check over HTTP for ${authorization.identifier.value}, the only one that Reeve can answer.`,
  )
}

function notProven(name: string, { identifier, status, challenges }: Authorization): AuthorityError {
  const problem = challenges.find(({ error }) => error !== undefined)?.error
  const why = problem ? `: "${wordsOf(problem)}"` : `; its check is ${status}.`
  return new AuthorityError(`${name} could not confirm ${identifier.value}${why}`, {
    kind: problem ? kindOf(problem) : status,
    httpStatus: 403,
  })
}

/** RFC 7638 */
export const thumbprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(JSON.stringify(publicJwk(key)))
    .digest('base64url')

/** Hands in the request, waits for the certificate and returns its chain in PEM. */
export async function finishOrder(
  party: Party,
  url: string,
  key: KeyObject,
  names: readonly Domain[],
): Promise<string> {
  const { authority, account } = party
  const until = (isDone: (order: Order) => boolean) =>
    poll(authority, () => authority.post(account, url), Order, isDone)
  // The checks are through, yet some authorities need a moment until the order knows.
  const order = await until(({ status }) => status !== 'pending')
  if (order.status === 'ready') {
    const csr = signingRequest(key, names).toString('base64url')
    await authority.post(account, order.finalize, { csr }).catch((error: unknown) => {
      // An answer that was lost on its way: the order was taken the first time.
      if (!(error instanceof AuthorityError && error.kind === 'orderNotReady')) throw error
    })
  }
  const issued = await until(({ status }) => status === 'valid' || status === 'invalid')
  if (issued.status === 'invalid' || issued.certificate === undefined) throw notIssued(authority.name, issued)
  const answer = await authority.post(account, issued.certificate)
  return answer.text
}

function notIssued(name: string, { error, status }: Order): AuthorityError {
  const why = error ? `: "${wordsOf(error)}"` : `; the order is ${status}.`
  return new AuthorityError(`${name} did not issue the certificate${why}`, {
    kind: error ? kindOf(error) : status,
    httpStatus: 403,
  })
}

/** Asks until the answer is final, as often as the authority likes; the conversation's deadline ends it. */
async function poll<Schema extends z.ZodType>(
  authority: Authority,
  read: () => Promise<AuthorityAnswer>,
  schema: Schema,
  isDone: (value: z.output<Schema>) => boolean,
): Promise<z.output<Schema>> {
  for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 5000)) {
    const answer = await read()
    const value = parseAnswer(authority.name, schema, answer)
    if (isDone(value)) return value
    const wanted = retryAfterMs(answer.headers, Date.now())
    await sleep(Math.min(wanted ?? delayMs, 10_000), undefined, { signal: authority.signal })
  }
}

/** Best effort of a site that goes: tells the authority that its certificate is no longer in use. */
export async function revokeCertificate({ authority, account }: Party, certificate: Buffer): Promise<void> {
  const { revokeCert } = authority.directory
  if (revokeCert === undefined) return
  const cessationOfOperation = 5
  await authority
    .post(account, revokeCert, {
      certificate: certificate.toString('base64url'),
      reason: cessationOfOperation,
    })
    .catch((error: unknown) => {
      if (!(error instanceof AuthorityError && error.kind === 'alreadyRevoked')) throw error
    })
}
