// One EventSource for all tabs of a browser. HTTP/1.1 allows six connections a host, so the tab that holds the
// lock connects and passes events on; when it closes, the lock and the connection go to the next tab.
import type { QueryClient } from '@tanstack/react-query'
import { applyEvent, type StreamEvent } from './events.ts'
import { createStore } from './store.ts'

export type Connection = { state: 'connecting' | 'live' } | { state: 'lost'; since: number }

export const connection = createStore<Connection>({ state: 'connecting' })

type Message =
  | { type: 'event'; event: StreamEvent }
  | { type: 'connection'; connection: Connection }
  | { type: 'hello' }

const lostAfterMs = 3_000
const retryAfterMs = 4_000
const openWithinMs = 10_000
const names = ['task', 'task.log', 'invalidate'] as const

/** Keeps the stream open until the signal aborts. `onRefused` is told when the server ends it for good. */
export function openEventStream(client: QueryClient, signal: AbortSignal, onRefused: () => void): void {
  const tabs = new BroadcastChannel('reeve-events')
  let leads = false

  const receive = (message: Message): void => {
    if (message.type === 'event') {
      applyEvent(client, message.event)
    } else if (message.type === 'connection') {
      const reopened = message.connection.state === 'live' && connection.get().state === 'lost'
      connection.set(message.connection)
      if (reopened) void client.invalidateQueries()
    } else if (leads) {
      tabs.postMessage({ type: 'connection', connection: connection.get() } satisfies Message)
    }
  }
  const publish = (message: Message): void => {
    receive(message)
    tabs.postMessage(message)
  }
  // Only this code posts to the channel.
  tabs.onmessage = (message) => receive(message.data as Message)
  signal.addEventListener('abort', () => tabs.close())
  tabs.postMessage({ type: 'hello' } satisfies Message)

  const lead = (): Promise<void> => {
    leads = true
    return new Promise((resolve) => {
      stream({ publish, onRefused, signal })
      signal.addEventListener('abort', () => resolve())
    })
  }
  // Locks exist in secure contexts only; without them every tab has a connection of its own.
  if ('locks' in navigator) navigator.locks.request('reeve-events', { signal }, lead).catch(() => {})
  else void lead()
}

interface Streaming {
  publish(message: Message): void
  onRefused(): void
  signal: AbortSignal
}

/** Connects, and connects again for as long as the signal is not aborted. */
function stream({ publish, onRefused, signal }: Streaming): void {
  let source: EventSource
  let lostTimer: ReturnType<typeof setTimeout> | undefined
  let restartTimer: ReturnType<typeof setTimeout> | undefined

  const restartIn = (ms: number): void => {
    clearTimeout(restartTimer)
    restartTimer = setTimeout(() => {
      source.close()
      connect()
    }, ms)
  }
  const onOpen = (): void => {
    clearTimeout(lostTimer)
    clearTimeout(restartTimer)
    lostTimer = undefined
    publish({ type: 'connection', connection: { state: 'live' } })
  }
  const onTrouble = (): void => {
    const since = Date.now()
    lostTimer ??= setTimeout(
      () => publish({ type: 'connection', connection: { state: 'lost', since } }),
      lostAfterMs,
    )
    if (source.readyState !== EventSource.CLOSED) return restartIn(openWithinMs)
    // The browser gives up on any status but 200: the session may have ended, or the panel is restarting.
    onRefused()
    restartIn(retryAfterMs)
  }
  const connect = (): void => {
    source = new EventSource('/api/events')
    source.onopen = onOpen
    source.onerror = onTrouble
    for (const name of names) {
      source.addEventListener(name, (event) => {
        const data: unknown = JSON.parse(String(event.data))
        // Payloads follow the contract's eventPayloads; the names above are its keys.
        publish({ type: 'event', event: { name, data } as StreamEvent })
      })
    }
    // A proxy may accept the connection and never answer; the browser would wait for minutes.
    restartIn(openWithinMs)
  }
  connect()
  signal.addEventListener('abort', () => {
    source.close()
    clearTimeout(lostTimer)
    clearTimeout(restartTimer)
  })
}
