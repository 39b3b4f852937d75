// A hostile API: runs as user `reeve` with nothing but the agent's socket. It is copied to where that user can
// read it, so it imports nothing of ours. Orders come as one JSON document on standard input.
import { connect, type Socket } from 'node:net'

export interface Message {
  name: string
  /** Parts written one after the other, in base64. */
  parts: string[]
  /** The same on this many connections at once. */
  connections?: number
  /** Ends the connection after writing, so that the agent sees half a request. */
  isHalf?: boolean
  /** How long an answer is waited for. */
  waitMs?: number
}

export interface Outcome {
  name: string
  /** What came back on the first connection, as text. */
  answer: string
  /** How many connections the agent had closed by itself. */
  closed: number
  error: string | null
}

export interface FuzzFigures {
  sent: number
  /** Answers by status line. */
  answers: Record<string, number>
  seconds: number
}

export type Orders =
  | { socket: string; messages: Message[] }
  | { socket: string; fuzz: { count: number; seed: number; documents: Record<string, unknown> } }

const junk: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\0',
  '\n',
  '../../../etc/passwd',
  '/etc/shadow',
  '$(id)',
  '`id`',
  "'; DROP DATABASE mysql; --",
  '{}',
  '%n%s',
  '\u2028',
  '\ud800',
  'x'.repeat(5000),
  [],
  {},
  [[[[]]]],
  ['a', 1],
  { constructor: { prototype: { admin: true } } },
  'example.com;',
  'a.example.com\n}',
  '*.example.com',
  '~^.*$',
  'localhost',
]

let text = ''
for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
const orders: Orders = JSON.parse(text)
const result = 'messages' in orders ? await sendAll(orders) : await fuzz(orders.socket, orders.fuzz)
process.stdout.write(JSON.stringify(result))

async function sendAll({ socket, messages }: { socket: string; messages: Message[] }): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const message of messages) {
    const all = await Promise.all(
      Array.from({ length: message.connections ?? 1 }, () => exchange(socket, message)),
    )
    const [first] = all
    outcomes.push({
      name: message.name,
      answer: first?.answer ?? '',
      closed: all.filter(({ isClosed }) => isClosed).length,
      error: first?.error ?? null,
    })
  }
  return outcomes
}

interface Exchange {
  answer: string
  isClosed: boolean
  error: string | null
}

function exchange(path: string, { parts, isHalf = false, waitMs = 2000 }: Message): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const socket = connect(path)
  let answer = ''
  let error: string | null = null
  const finish = (isClosed: boolean) => {
    clearTimeout(timer)
    socket.destroy()
    resolve({ answer, isClosed, error })
  }
  const timer = setTimeout(() => finish(false), waitMs)
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    if (answer.length < 65_536) answer += chunk
  })
  socket.on('error', (problem: NodeJS.ErrnoException) => {
    error = problem.code ?? problem.message
  })
  socket.on('close', () => finish(true))
  socket.on('connect', () => {
    for (const part of parts) socket.write(Buffer.from(part, 'base64'))
    if (isHalf) socket.end()
  })
  return promise
}

/** Deterministic: a failure can be run again from its seed (Marsaglia, "Xorshift RNGs"). */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

async function fuzz(
  path: string,
  { count, seed, documents }: { count: number; seed: number; documents: Record<string, unknown> },
): Promise<FuzzFigures> {
  const pick = random(seed)
  const started = performance.now()
  const answers: Record<string, number> = {}
  let sent = 0
  const lane = async () => {
    while (sent < count) {
      sent++
      const status = await once(path, frame(pick, documents))
      answers[status] = (answers[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return { sent, answers, seconds: (performance.now() - started) / 1000 }
}

/** Something that no schema takes, at a place of its own; what else changes may be anything. */
function mutate(pick: (below: number) => number, document: unknown): unknown {
  const copy: unknown = structuredClone(document)
  const places: { holder: Record<string, unknown>; key: string }[] = []
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      const holder = value as Record<string, unknown>
      places.push({ holder, key })
      walk(holder[key])
    }
  }
  walk(copy)
  for (let change = pick(4); change > 0 && places.length > 0; change--) {
    const place = places[pick(places.length)]
    if (place) place.holder[place.key] = junk[pick(junk.length)]
  }
  return { ...(copy as Record<string, unknown>), [`unknown${pick(1000)}`]: junk[pick(junk.length)] }
}

function frame(pick: (below: number) => number, documents: Record<string, unknown>): Buffer {
  const names = Object.keys(documents)
  const name = names[pick(names.length)] ?? ''
  const kind = pick(16)
  if (kind === 0) return Buffer.from(Array.from({ length: 1 + pick(600) }, () => pick(256)))
  let body = Buffer.from(JSON.stringify(mutate(pick, documents[name])))
  if (kind === 1) for (let hit = 1 + pick(8); hit > 0; hit--) body[pick(body.length)] = pick(256)
  if (kind === 2) body = body.subarray(0, pick(body.length))
  const method = kind === 7 ? ['GET', 'PUT', 'post', 'TRACE'][pick(4)] : 'POST'
  const target =
    kind === 3 ? `/${name}/../${String(junk[pick(junk.length)]).replaceAll(/\s/g, '')}` : `/${name}`
  const length = kind === 4 ? [0, -1, body.length + 5, 2 ** 31, 1e21][pick(5)] : body.length
  const head = `${method} ${target} HTTP/1.1\r\nHost: agent\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`
  const whole = Buffer.concat([Buffer.from(head), body])
  if (kind === 5) whole[pick(head.length)] = pick(256)
  return kind === 6 ? whole.subarray(0, pick(whole.length)) : whole
}

/** Writes, ends its half, and tells the first line of the answer, or why there was none. */
function once(path: string, bytes: Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket: Socket = connect({ path, allowHalfOpen: true })
  let answer = ''
  socket.setEncoding('latin1')
  socket.setTimeout(10_000, () => {
    answer = 'no answer in 10 s'
    socket.destroy()
  })
  socket.on('data', (chunk: string) => {
    if (answer.length < 4096) answer += chunk
  })
  socket.on('error', (problem: NodeJS.ErrnoException) => {
    if (answer === '') answer = problem.code ?? problem.message
  })
  socket.on('end', () => socket.destroy())
  socket.on('close', () => {
    const code = /"code":"([a-z_]+)"/.exec(answer)?.[1]
    const line = answer.split('\r\n', 1)[0] ?? ''
    resolve(answer === '' ? 'closed' : code ? `${line.slice(9, 12)} ${code}` : line)
  })
  socket.end(bytes)
  return promise
}
