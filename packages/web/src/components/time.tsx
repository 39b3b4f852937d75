import { useSyncExternalStore } from 'react'
import { exactTime, relativeTime } from '../lib/format.ts'

let nowMs = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  nowMs = Date.now()
  for (const listener of listeners) listener()
}

/** One clock for the page, running only while something watches it. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    nowMs = Date.now()
    timer = setInterval(tick, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** What follows from the time, looked at every second; draws again only when it changed. */
export function useClock<T extends string | number>(select: (nowMs: number) => T): T {
  return useSyncExternalStore(subscribe, () => select(nowMs))
}

/** Relative, with the exact time in both zones on hover. */
export function Time({ at }: { at: string }) {
  const text = useClock((now) => relativeTime(at, now))
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {text}
    </time>
  )
}
