// The API's end of the agent's socket: one POST per operation, NDJSON back. Whatever keeps the result from
// arriving (no socket, a reset, an agent that died) is `agent_unavailable`; the operation's own refusal is
// the AppError that the agent sent.
import { type IncomingMessage, request } from 'node:http'
import { AppError, ErrorBody } from '@reeve/contract/errors.ts'
import type { AgentEvent, OperationDefinition } from '@reeve/contract/operation.ts'
import * as z from 'zod'

export interface CallOptions {
  onEvent?: (event: Extract<AgentEvent, { type: 'step' | 'log' }>) => void
  signal?: AbortSignal
  deadlineMs?: number
}

export interface AgentClient {
  call<Input extends z.ZodType, Output extends z.ZodType>(
    operation: OperationDefinition<Input, Output>,
    input: z.input<Input>,
    options?: CallOptions,
  ): Promise<z.output<Output>>
  /** Throws `agent_unavailable` unless the agent answers within a second. */
  ping(signal?: AbortSignal): Promise<void>
}

const pingTimeoutMs = 600
const defaultDeadlineMs = 30_000
const maxLineBytes = 8 * 1024 * 1024

const AgentLine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('step'),
    name: z.string().max(100),
    state: z.enum(['pending', 'running', 'succeeded', 'failed', 'undone']),
  }),
  z.object({ type: z.literal('log'), text: z.string() }),
  z.object({ type: z.literal('result'), result: z.unknown() }),
  z.object({ type: z.literal('error'), error: ErrorBody }),
])

const unavailable = (cause?: unknown) =>
  new AppError('agent_unavailable', 'The server agent does not answer. Start it and try again.', {}, cause)

export function createAgentClient(socketPath: string): AgentClient {
  return {
    async call(operation, input, options = {}) {
      // A stopped or hung agent still accepts connections; the ping tells within a second.
      await ping(socketPath, options.signal)
      const result = await exchange(socketPath, operation.name, input, options)
      const parsed = operation.output.safeParse(result)
      if (parsed.success) return parsed.data
      throw new AppError(
        'internal',
        `The agent's answer to ${operation.name} is not what this version expects.`,
      )
    },
    ping: (signal) => ping(socketPath, signal),
  }
}

async function ping(socketPath: string, signal?: AbortSignal): Promise<void> {
  const limit = AbortSignal.timeout(pingTimeoutMs)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const outgoing = request(
    { socketPath, path: '/ping', agent: false, signal: signal ? AbortSignal.any([signal, limit]) : limit },
    (response) => {
      response.on('error', reject)
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error('bad ping'))))
      response.resume()
    },
  )
  outgoing.on('error', reject)
  outgoing.end()
  await promise.catch((error: unknown) => {
    signal?.throwIfAborted()
    throw unavailable(error)
  })
}

function exchange(
  socketPath: string,
  name: string,
  input: unknown,
  { onEvent, signal, deadlineMs = defaultDeadlineMs }: CallOptions,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const deadline = AbortSignal.timeout(deadlineMs)
  const fail = (error: unknown) => {
    if (signal?.aborted) reject(signal.reason)
    else if (deadline.aborted) reject(tookTooLong(name, deadlineMs))
    else reject(error instanceof AppError ? error : unavailable(error))
  }
  const outgoing = request(
    {
      socketPath,
      path: `/${name}`,
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json' },
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    },
    (response) => {
      readResult(response, onEvent).then(resolve, fail)
    },
  )
  outgoing.on('error', fail)
  outgoing.end(JSON.stringify(input))
  return promise
}

const tookTooLong = (name: string, deadlineMs: number) =>
  new AppError('internal', `The agent did not finish ${name} within ${Math.round(deadlineMs / 1000)} s.`)

async function readResult(response: IncomingMessage, onEvent: CallOptions['onEvent']): Promise<unknown> {
  for await (const line of linesOf(response)) {
    const event = AgentLine.parse(JSON.parse(line))
    switch (event.type) {
      case 'result':
        return event.result
      case 'error':
        throw AppError.fromBody(event.error)
      case 'step':
      case 'log':
        onEvent?.(event)
    }
  }
  throw unavailable()
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const chunk of response) {
    rest += String(chunk)
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
    if (rest.length > maxLineBytes) throw new AppError('internal', 'The agent sent a line that is too long.')
  }
}
