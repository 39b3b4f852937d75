// What the agent remembers of a site's certificate between two attempts, also over a crash.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { type SiteId, Timestamp } from '@reeve/contract/primitives.ts'
import * as z from 'zod'
import { replaceFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { removeTree } from '../sites/layout.ts'
import { AuthorityUrl, tryJson } from './authority.ts'
import { AuthorityError } from './authority-error.ts'
import { RenewalAdvice } from './renewal-information.ts'

/** An order that is under way: whoever finds it goes on with it, so that a crash costs no second order. */
export const PendingOrder = z.object({
  directory: z.string(),
  url: AuthorityUrl,
  /** Key of the certificate to come, in PEM. */
  key: z.string(),
  names: z.array(z.string()),
  placed_at: Timestamp,
})
export type PendingOrder = z.infer<typeof PendingOrder>

export const CertificateState = z.object({
  /** Directory of the authority that the certificate in use is from. */
  directory: z.string().nullable().default(null),
  pending: PendingOrder.nullable().default(null),
  /** The panel's task that the certificate in use was issued for. */
  done_for: z.string().nullable().default(null),
  /** Attempts in a row that failed. */
  failures: z.int().default(0),
  last_error: z.string().nullable().default(null),
  /** The timer does not try before. */
  retry_at: Timestamp.nullable().default(null),
  /** Nobody tries before: the authority said so. */
  not_before: Timestamp.nullable().default(null),
  /** Directory of the authority that said it; another one may be asked. */
  limited_by: z.string().nullable().default(null),
  advice: RenewalAdvice.nullable().default(null),
})
export type CertificateState = z.infer<typeof CertificateState>

export function readState(paths: Paths, id: SiteId): CertificateState {
  const path = paths.acmeSite(id)
  if (!existsSync(path)) return CertificateState.parse({})
  // Damaged, it is as good as gone: all of it can be found out again, at the price of one more order.
  return CertificateState.catch(CertificateState.parse({})).parse(tryJson(readFileSync(path, 'utf8')))
}

export function writeState(paths: Paths, id: SiteId, change: Partial<CertificateState>): CertificateState {
  const path = paths.acmeSite(id)
  const state = { ...readState(paths, id), ...change }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceFile(path, `${JSON.stringify(state)}\n`, { mode: 0o600 })
  return state
}

const hourMs = 3_600_000

/** The next attempts of the timer come after 1, 2, 4, 8, 16 and then every 24 hours. */
export const backOffMs = (failures: number): number => Math.min(2 ** (failures - 1), 24) * hourMs

export function rememberFailure(paths: Paths, id: SiteId, directory: string, error: unknown): void {
  const failures = readState(paths, id).failures + 1
  const asked = error instanceof AuthorityError ? error.waitMs : undefined
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
  writeState(paths, id, {
    failures,
    last_error: error instanceof AppError ? error.message : 'Something unexpected went wrong; see the log.',
    retry_at: inMs(Math.max(backOffMs(failures), asked ?? 0)),
    ...(asked === undefined ? {} : { not_before: inMs(asked), limited_by: directory }),
    // An order that was refused will be refused again.
    ...(error instanceof AuthorityError && error.isFinal ? { pending: null } : {}),
  })
}

export const removeState = (paths: Paths, id: SiteId): Promise<void> => removeTree(paths.acmeSite(id))
