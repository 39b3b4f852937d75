// The agent's whole surface: one table of operations behind a Unix socket. Unknown operations, unknown
// fields and oversize bodies are refused here, and every input is parsed again; the caller is not trusted.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { AppError, invalidRequest } from '@reeve/contract/errors.ts'
import type { AgentEvent, OperationDefinition, StepState } from '@reeve/contract/operation.ts'
import type { z } from 'zod'
import { describeError, type Log } from './log.ts'

/** How an operation tells what it is doing while it runs. */
export interface Progress {
  step(name: string, state: StepState): void
  log(text: string): void
}

export interface BoundOperation {
  readonly definition: OperationDefinition
  readonly handle: (input: unknown, progress: Progress) => Promise<unknown>
}

/** Ties a handler to its definition; the handler sees parsed input only. */
export function bind<Input extends z.ZodType, Output extends z.ZodType>(
  definition: OperationDefinition<Input, Output>,
  handle: (input: z.output<Input>, progress: Progress) => Promise<z.input<Output>>,
): BoundOperation {
  return {
    definition,
    handle: async (input, progress) => {
      const parsed = definition.input.safeParse(input)
      if (!parsed.success) throw invalidRequest(parsed.error)
      return definition.output.parse(await handle(parsed.data, progress))
    },
  }
}

const maxBodyBytes = 1024 * 1024
/** All bodies that are being received at once; a caller that holds hundreds open must not fill the memory. */
const maxHeldBytes = 16 * maxBodyBytes

export function createDispatcher(operations: readonly BoundOperation[], log: Log): Server {
  const table = new Map(operations.map((operation) => [`/${operation.definition.name}`, operation]))
  const server = createServer({ maxHeaderSize: 8192, requestTimeout: 30_000, headersTimeout: 5000 })
  server.maxConnections = 256
  const held = { bytes: 0 }
  server.on('request', (request, response) => {
    serve(table, request, response, held, log).catch((error: unknown) => {
      log('dispatch failed', { error: describeError(error) })
      response.destroy()
    })
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

async function serve(
  table: ReadonlyMap<string, BoundOperation>,
  request: IncomingMessage,
  response: ServerResponse,
  held: { bytes: number },
  log: Log,
): Promise<void> {
  // A caller that goes away does not stop the operation: it finishes, and the next call finds it done.
  response.on('error', () => {})
  if (request.method === 'GET' && request.url === '/ping') {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ pid: process.pid }))
    return
  }
  const operation = request.method === 'POST' ? table.get(request.url ?? '') : undefined
  if (!operation) {
    request.resume()
    answer(response, new AppError('not_found', 'The agent knows no such operation.'))
    return
  }
  let input: unknown
  try {
    input = JSON.parse(await readBody(request, held))
  } catch (error) {
    answer(
      response,
      error instanceof AppError ? error : new AppError('invalid_request', 'The body is not JSON.'),
    )
    return
  }
  await perform(operation, input, response, log)
}

async function perform(
  operation: BoundOperation,
  input: unknown,
  response: ServerResponse,
  log: Log,
): Promise<void> {
  const started = Date.now()
  const { name } = operation.definition
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const send = (event: AgentEvent) => {
    if (response.writable) response.write(`${JSON.stringify(event)}\n`)
  }
  try {
    const result = await operation.handle(input, {
      step: (step, state) => send({ type: 'step', name: step, state }),
      log: (text) => send({ type: 'log', text }),
    })
    send({ type: 'result', result })
    log(name, { ms: Date.now() - started })
  } catch (error) {
    log(`${name} failed`, { ms: Date.now() - started, error: describeError(error) })
    send({ type: 'error', error: asAppError(error).toBody() })
  }
  response.end()
}

function answer(response: ServerResponse, error: AppError): void {
  response.writeHead(error.status, { 'content-type': 'application/x-ndjson', connection: 'close' })
  response.end(`${JSON.stringify({ type: 'error', error: error.toBody() } satisfies AgentEvent)}\n`)
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('internal', error instanceof Error ? error.message : 'The operation failed.')
}

function readBody(request: IncomingMessage, held: { bytes: number }): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let chunks: Buffer[] | undefined = []
  let size = 0
  /** Lets go of what was received, once; what still comes is not kept. */
  const release = (): Buffer[] => {
    const received = chunks ?? []
    if (chunks) held.bytes -= size
    chunks = undefined
    return received
  }
  const refuse = (code: 'too_large' | 'invalid_request', message: string) => {
    release()
    reject(new AppError(code, message))
  }
  request.on('data', (chunk: Buffer) => {
    if (!chunks) return
    chunks.push(chunk)
    size += chunk.length
    held.bytes += chunk.length
    if (size > maxBodyBytes)
      refuse('too_large', `A request to the agent may have at most ${maxBodyBytes} bytes.`)
    else if (held.bytes > maxHeldBytes)
      refuse('too_large', 'The agent is receiving too much at once; try again.')
  })
  request.on('end', () => resolve(Buffer.concat(release()).toString('utf8')))
  request.on('error', reject)
  request.on('close', () => refuse('invalid_request', 'The request ended early.'))
  return promise
}
