// The closed table of errors. Everything that fails on purpose fails with one of these codes.
import * as z from 'zod'

/** Code → HTTP status. `docs/status-codes.md` says when each is used. */
export const errorStatus = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  misdirected: 421,
  refused: 422,
  throttled: 429,
  internal: 500,
  agent_unavailable: 502,
} as const

export type ErrorCode = keyof typeof errorStatus

/** The body of every error answer. Further keys are details the code's users document. */
export const ErrorBody = z.looseObject({
  error: z.string(),
  code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]), // Object.keys forgets the literal keys
  field: z.string().optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>

export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  /** `message` is a full sentence for the person: what happened, to what, and what to do. */
  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(readable(message), cause === undefined ? undefined : { cause })
    this.name = 'AppError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorStatus[this.code]
  }

  toBody(): ErrorBody {
    return { ...this.details, error: this.message, code: this.code }
  }

  static fromBody(body: ErrorBody): AppError {
    const { error, code, ...details } = body
    return new AppError(code, error, details)
  }
}

/** A sentence may quote what somebody sent, and that must not turn the rest of it around. */
function readable(message: string): string {
  return message.replaceAll(
    /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (direction) => `\\u{${direction.charCodeAt(0).toString(16)}}`,
  )
}

/** Zod names what it got in the message alone. */
const isMissing = ({ code, message }: z.core.$ZodIssue): boolean =>
  code === 'invalid_type' && message.endsWith('received undefined')

/** Turns the first schema issue into `invalid_request` naming the field. */
export function invalidRequest(error: z.ZodError): AppError {
  const issue = error.issues[0]
  if (!issue) return new AppError('invalid_request', 'The request is not valid.')
  const field = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])].join(
    '.',
  )
  const message =
    issue.code === 'unrecognized_keys'
      ? `Unknown field "${field}".`
      : field
        ? `${field}: ${isMissing(issue) ? 'is missing' : issue.message}`
        : issue.message
  return new AppError('invalid_request', message, field ? { field } : {})
}
