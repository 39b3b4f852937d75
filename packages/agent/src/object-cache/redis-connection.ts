// One conversation with the object-cache server as the agent. What redis-cli prints cannot be told from key names
// that a site chose; the protocol's own framing can (RESP2, redis.io/docs/reference/protocol-spec).
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { agentRedisUser, redisAbsent, redisRefusal, type RedisServer } from './redis.ts'

export type RedisReply = string | number | null | RedisReply[]

export interface RedisConnection extends Disposable {
  /** Rejects with `internal` when the server refuses the command or does not answer. */
  ask(...command: string[]): Promise<RedisReply>
}

const answerTimeoutMs = 5000

export async function connectRedis(
  server: Pick<RedisServer, 'paths' | 'redisPassword'>,
): Promise<RedisConnection> {
  const socket = createConnection(server.paths.redisSocket)
  const opened = once(socket, 'connect')
  socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error('it does not answer')))
  await opened.catch((error: unknown) => {
    throw redisAbsent(error)
  })
  const ask = createAsker(socket)
  await ask('AUTH', agentRedisUser, server.redisPassword)
  return { ask, [Symbol.dispose]: () => socket.destroy() }
}

function createAsker(socket: Socket): RedisConnection['ask'] {
  let waiting: PromiseWithResolvers<RedisReply> | undefined
  let received = Buffer.alloc(0)
  const end = (error: Error) => {
    waiting?.reject(redisAbsent(error))
    waiting = undefined
  }
  socket.on('error', end)
  socket.on('close', () => end(new Error('it closed the connection')))
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const parsed = parseReply(received, 0)
    if (!parsed || !waiting) return
    received = received.subarray(parsed.next)
    const { resolve, reject } = waiting
    waiting = undefined
    if (parsed.error === undefined) resolve(parsed.reply)
    else reject(redisRefusal(parsed.error))
  })
  return (...command) => {
    if (socket.destroyed) return Promise.reject(redisAbsent())
    waiting = Promise.withResolvers<RedisReply>()
    const words = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    socket.write(`*${command.length}\r\n${words.join('')}`)
    return waiting.promise
  }
}

interface Parsed {
  reply: RedisReply
  error?: string
  /** Where the next reply begins. */
  next: number
}

/** Undefined while the reply is not complete. */
export function parseReply(bytes: Buffer, start: number): Parsed | undefined {
  const end = bytes.indexOf('\r\n', start)
  if (end === -1) return undefined
  const line = bytes.toString('latin1', start + 1, end)
  const next = end + 2
  switch (String.fromCharCode(bytes[start] ?? 0)) {
    case '+':
      return { reply: line, next }
    case '-':
      return { reply: null, error: line, next }
    case ':':
      return { reply: Number(line), next }
    case '$':
      return parseText(bytes, Number(line), next)
    case '*':
      return parseList(bytes, Number(line), next)
    default:
      return { reply: null, error: 'its answer is not in its protocol', next }
  }
}

function parseText(bytes: Buffer, length: number, start: number): Parsed | undefined {
  if (length < 0) return { reply: null, next: start }
  if (bytes.length < start + length + 2) return undefined
  return { reply: bytes.toString('latin1', start, start + length), next: start + length + 2 }
}

function parseList(bytes: Buffer, length: number, start: number): Parsed | undefined {
  const items: RedisReply[] = []
  let next = start
  for (let index = 0; index < length; index++) {
    const item = parseReply(bytes, next)
    if (!item) return undefined
    items.push(item.reply)
    next = item.next
  }
  return { reply: length < 0 ? null : items, next }
}
