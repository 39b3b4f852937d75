import { AppError } from '@reeve/contract/errors.ts'
import * as z from 'zod'

/** RFC 7807 as RFC 8555 section 6.7 uses it. */
export const Problem = z.object({
  type: z.string().default('about:blank'),
  detail: z.string().default(''),
  subproblems: z
    .array(
      z.object({ detail: z.string().default(''), identifier: z.object({ value: z.string() }).optional() }),
    )
    .default([]),
})
export type Problem = z.infer<typeof Problem>

/** What an authority said no with. */
export class AuthorityError extends AppError {
  /** Last part of `urn:ietf:params:acme:error:…`. */
  readonly kind: string
  readonly httpStatus: number
  /** No request for this certificate may be made before this many milliseconds have passed. */
  readonly waitMs: number | undefined

  constructor(message: string, about: { kind: string; httpStatus: number; waitMs?: number | undefined }) {
    super('refused', message, { problem: about.kind })
    this.kind = about.kind
    this.httpStatus = about.httpStatus
    this.waitMs = about.waitMs
  }

  /** Asking the same again will be answered the same. */
  get isFinal(): boolean {
    return this.httpStatus >= 400 && this.httpStatus < 500 && this.waitMs === undefined
  }
}

const wordsAtMost = 600

/** An authority's own words: quoted pages may hold anything, and they reach logs and terminals. */
export function wordsOf(problem: Problem): string {
  const details = problem.subproblems.map(({ detail, identifier }) =>
    identifier ? `${identifier.value}: ${detail}` : detail,
  )
  const text = [problem.detail, ...details]
    .join(' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
  return text.length > wordsAtMost ? `${text.slice(0, wordsAtMost)} …` : text
}

export const kindOf = (problem: Problem): string => problem.type.replace(/^urn:ietf:params:acme:error:/, '')
