// The one event stream. Every event is kept in a bounded ring for replay, filtered by what the caller may
// see at that moment; a reader that does not read is dropped instead of filling the memory.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { EventName, EventPayload } from '@reeve/contract/events.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { type Caller, seesAllSites, seesSite } from './accounts/sessions.ts'

/** Who may see an event: everybody, those who may see the site or caused it, or one account alone. */
export type Audience =
  | 'everybody'
  | { readonly siteId: string | null; readonly accountId: string | null }
  | { readonly onlyAccountId: string }

interface StoredEvent {
  readonly seq: number
  readonly text: string
  readonly audience: Audience
}

interface Stream {
  caller: Caller
  readonly response: ServerResponse
}

export interface EventHub extends AsyncDisposable {
  publish<Name extends EventName>(name: Name, payload: EventPayload<Name>, audience: Audience): void
  /** Writes the stream's head and, when given, what was missed since `lastEventId`. */
  open(caller: Caller, response: ServerResponse, headers: Record<string, string>, lastEventId?: string): void
  /** Lets the account's open streams see what it was just given, without closing them. */
  widen(accountId: string): Promise<void>
  openStreams(): number
}

const keptEvents = 1000
const keptLength = 4 * 1024 * 1024
// More than a task's whole log in one go, which a healthy reader may be given at once.
const unreadBytesAtMost = 2 * 1024 * 1024
const streamsPerAccount = 50
const pingMs = 15_000
const recheckMs = 2000

export function createEventHub(
  findCaller: (sessionId: string) => Promise<Caller | undefined>,
  onError: (error: unknown) => void,
): EventHub {
  // Ids of another process say nothing here, so they carry a name for this one.
  const epoch = randomBytes(4).toString('hex')
  const ring: StoredEvent[] = []
  const streams = new Set<Stream>()
  let ringLength = 0
  let lastSeq = 0

  const send = (stream: Stream, text: string) => {
    stream.response.write(text)
    if (stream.response.writableLength > unreadBytesAtMost) stream.response.destroy()
  }
  const recheck = async () => {
    for (const stream of streams) {
      const caller = await findCaller(stream.caller.sessionId)
      if (!caller || isOtherReach(caller, stream.caller)) stream.response.end()
    }
  }
  const pings = setInterval(() => {
    for (const stream of streams) send(stream, ': ping\n\n')
  }, pingMs)
  const rechecks = setInterval(() => void recheck().catch(onError), recheckMs)

  return {
    publish(name, payload, audience) {
      const seq = ++lastSeq
      const text = `id: ${epoch}-${seq}\nevent: ${name}\ndata: ${JSON.stringify(payload)}\n\n`
      ring.push({ seq, text, audience })
      ringLength += text.length
      while (ring.length > keptEvents || ringLength > keptLength) {
        ringLength -= ring.shift()?.text.length ?? 0
      }
      for (const stream of streams) if (maySee(stream.caller, audience)) send(stream, text)
    },
    open(caller, response, headers, lastEventId) {
      const own = [...streams].filter((stream) => stream.caller.accountId === caller.accountId)
      if (own.length >= streamsPerAccount) {
        throw new AppError('throttled', 'This account has too many live connections open. Close some tabs.', {
          retry_after_s: 5,
        })
      }
      response.writeHead(200, {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
      const stream: Stream = { caller, response }
      response.on('close', () => streams.delete(stream))
      response.on('error', () => streams.delete(stream))
      streams.add(stream)
      send(stream, `retry: 1000\n\n${missedSince(ring, epoch, lastSeq, caller, lastEventId)}`)
    },
    async widen(accountId) {
      for (const stream of streams) {
        if (stream.caller.accountId !== accountId) continue
        const caller = await findCaller(stream.caller.sessionId)
        if (caller?.role === stream.caller.role && stream.caller.siteIds.isSubsetOf(caller.siteIds)) {
          stream.caller = caller
        }
      }
    },
    openStreams: () => streams.size,
    async [Symbol.asyncDispose]() {
      clearInterval(pings)
      clearInterval(rechecks)
      for (const { response } of streams) response.end()
    },
  }
}

function missedSince(
  ring: readonly StoredEvent[],
  epoch: string,
  lastSeq: number,
  caller: Caller,
  lastEventId: string | undefined,
): string {
  // An id even before the first event, so that a reader that reconnects can say where it was.
  const position = `id: ${epoch}-${lastSeq}\n`
  if (lastEventId === undefined) return `${position}event: hello\ndata: {}\n\n`
  const [givenEpoch, givenSeq] = lastEventId.split('-')
  const seq = /^\d{1,15}$/.test(givenSeq ?? '') ? Number(givenSeq) : Number.NaN
  const first = ring[0]?.seq ?? lastSeq + 1
  if (givenEpoch !== epoch || !(seq >= first - 1 && seq <= lastSeq)) {
    return `${position}event: invalidate\ndata: {"keys":["*"]}\n\n`
  }
  return ring
    .filter((event) => event.seq > seq && maySee(caller, event.audience))
    .map((event) => event.text)
    .join('')
}

function maySee(caller: Caller, audience: Audience): boolean {
  if (audience === 'everybody') return true
  if ('onlyAccountId' in audience) return audience.onlyAccountId === caller.accountId
  if (seesAllSites(caller)) return true
  if (audience.accountId === caller.accountId) return true
  return audience.siteId !== null && seesSite(caller, audience.siteId)
}

/** A stream ends when its role or sites change; the browser comes back with the new ones. */
function isOtherReach(now: Caller, before: Caller): boolean {
  return (
    now.role !== before.role ||
    now.siteIds.size !== before.siteIds.size ||
    [...now.siteIds].some((id) => !before.siteIds.has(id))
  )
}
