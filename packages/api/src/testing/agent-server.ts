// A server that speaks the agent's protocol, for tests of the API alone. It counts what reaches it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AppError } from '@reeve/contract/errors.ts'
import { AppError as AppErrorClass } from '@reeve/contract/errors.ts'

export type Answer = (input: unknown, send: (event: object) => void) => unknown

export interface AgentServer extends AsyncDisposable {
  /** Names of the operations that were called, in order. */
  readonly calls: string[]
  /** Inputs by operation name. */
  readonly inputs: { name: string; input: unknown }[]
  answer(name: string, answer: Answer): void
  /** Closes the socket, as if the agent had died. */
  stop(): Promise<void>
  start(): Promise<void>
}

const description = {
  php_versions: ['8.2', '8.4'],
  default_php_version: '8.2',
  php_workers: 6,
  memory_mb: 2048,
}
export const siteFacts = {
  system_user: 'site-1',
  php_version: '8.2',
  php_workers: 6,
  cms_version: null,
  certificate: { issuer: 'self-signed', expires_at: '2030-01-01T00:00:00.000Z' },
  connector_token_sha256: 'f'.repeat(64),
}

const sftpPlace = { host: 'server.example.test', port: 22, user: 'site-1' }

export async function startAgentServer(socketPath: string): Promise<AgentServer> {
  mkdirSync(dirname(socketPath), { recursive: true })
  const calls: string[] = []
  const inputs: { name: string; input: unknown }[] = []
  const answers = new Map<string, Answer>([
    ['system.describe', () => description],
    ['site.apply', () => siteFacts],
    ['drift.list', () => ({ items: [], swept_at: null })],
    ['drift.resolve', () => ({ path: '/etc/nginx/nginx.conf', site_id: null })],
    ['site.check', () => ({})],
    ['site.remove', () => ({ removed: true })],
    ['certificate.issue', () => siteFacts.certificate],
    ['access.apply', () => sftpPlace],
    ['access.describe', () => sftpPlace],
    ['cache.purge', () => ({ purged: 1 })],
    ['cache.warm', () => ({ visited: 1, failed: 0 })],
    ['cache.stats', () => ({ object_cache: null, page_cache: null })],
    ['connector.rotate', () => ({ connector_token_sha256: 'e'.repeat(64) })],
    ['cron.apply', () => ({})],
    ['cron.run', () => ({ started: true })],
    ['cron.state', () => ({ jobs: [] })],
    ['logs.server', () => ({ lines: [], cursor: null, truncated: false })],
    ['logs.site', () => ({ lines: [], cursor: null, truncated: false })],
    ['audit.append', () => ({ seq: 1, hash: '0' })],
    ['audit.read', () => ({ entries: [], next_before: null })],
  ])
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/ping') return response.end('{"pid":1}')
    const name = (request.url ?? '').slice(1)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const input: unknown = JSON.parse(Buffer.concat(chunks).toString())
    calls.push(name)
    inputs.push({ name, input })
    const send = (event: object) => response.write(`${JSON.stringify(event)}\n`)
    try {
      const answer = answers.get(name)
      if (!answer) throw new AppErrorClass('not_found', 'The agent knows no such operation.')
      send({ type: 'result', result: await answer(input, send) })
    } catch (error) {
      if (!isAppError(error)) return response.destroy()
      send({ type: 'error', error: error.toBody() })
    }
    return response.end()
  }
  const listen = async () => {
    rmSync(socketPath, { force: true })
    const started = createServer(
      (request, response) => void serve(request, response).catch(() => response.destroy()),
    )
    started.listen(socketPath)
    await once(started, 'listening')
    return started
  }
  let server = await listen()
  const stop = async () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    calls,
    inputs,
    answer: (name, answer) => answers.set(name, answer),
    stop,
    async start() {
      server = await listen()
    },
    [Symbol.asyncDispose]: stop,
  }
}

const isAppError = (error: unknown): error is AppError => error instanceof AppErrorClass
