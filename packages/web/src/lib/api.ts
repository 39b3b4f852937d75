// The one way to the server: same origin, JSON, errors as ApiError. It also notices, for every call alike,
// that the session has ended (waits for a new sign-in, then repeats the call) and that the agent is down.
import type { EndpointDefinition, Method } from '@reeve/contract/endpoint.ts'
import type { ErrorCode } from '@reeve/contract/errors.ts'
import type { z } from 'zod'
import { reportAgent } from './agent-health.ts'
import { signInAgain } from './session-gate.ts'
import { strings } from './strings.ts'

export type ResponseOf<E extends EndpointDefinition> = z.infer<E['response']>
export type BodyOf<E extends EndpointDefinition> = z.input<E['body']>

export interface ApiCall {
  method: Method
  path: string
  body?: unknown
}

export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'network'
  readonly field: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: ErrorCode | 'network',
    message: string,
    details: Record<string, unknown> = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.field = typeof details['field'] === 'string' ? details['field'] : undefined
    this.details = details
  }
}

const deadlineMs = 30_000

function errorFrom(status: number, body: unknown): ApiError {
  if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string') {
    const code = 'code' in body && typeof body.code === 'string' ? body.code : 'internal'
    // The server's table is closed, so a code it sends is one of ErrorCode.
    return new ApiError(status, code as ErrorCode, body.error, { ...body })
  }
  return new ApiError(status, 'internal', strings.errors.unexplained(status))
}

async function send(
  call: ApiCall,
  signal: AbortSignal | undefined,
): Promise<{ status: number; body: unknown }> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const init: RequestInit = {
    method: call.method,
    credentials: 'same-origin',
    headers: call.body === undefined ? {} : { 'content-type': 'application/json' },
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  }
  if (call.body !== undefined) init.body = JSON.stringify(call.body)
  try {
    const response = await fetch(call.path, init)
    return { status: response.status, body: parse(await response.text()) }
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'network', strings.errors.network)
  }
}

/** A proxy in front of a stopped panel answers with a page of HTML; that reads as no body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** A 401 is an answer, not an ended session: signing in, and asking who is signed in. */
  anonymous?: boolean
}

/** Sends one request. Throws ApiError. */
export async function call<T>(request: ApiCall, options: CallOptions = {}): Promise<T> {
  let answer = await send(request, options.signal)
  while (answer.status === 401 && !options.anonymous) {
    await signInAgain()
    answer = await send(request, options.signal)
  }
  const failed = answer.status >= 400
  const error = failed ? errorFrom(answer.status, answer.body) : undefined
  reportAgent(request, error?.code)
  if (error) throw error
  // The server validates its answers against the contract the type comes from.
  return answer.body as T
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  call<T>({ method: 'GET', path }, { signal })

/** Not for this role: what an earlier role has read is not to be shown either. */
export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403

/** The sentence to show for anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
