// Who may run now: a job never beside itself, a site never more than two, the server never more than its limit. What
// has to wait keeps its place.

export interface QueueEntry {
  key: string
  siteId: string
  /** Its failures are its own to report. */
  run: (signal: AbortSignal) => Promise<void>
}

export interface QueueLimits {
  atOnce: number
  atOnceOfSite: number
}

export interface RunQueue extends AsyncDisposable {
  /** False when the same job runs or waits already. */
  add(entry: QueueEntry): boolean
  /** At once or not at all, whatever else the site runs. */
  start(entry: QueueEntry): 'started' | 'running' | 'full'
  /** Ends the runs that match and forgets those that wait; returns when they are gone. */
  end(isMeant: (entry: QueueEntry) => boolean): Promise<void>
}

interface Running {
  entry: QueueEntry
  abort: AbortController
  ended: Promise<void>
}

export function createRunQueue({ atOnce, atOnceOfSite }: QueueLimits): RunQueue {
  const running = new Map<string, Running>()
  let waiting: QueueEntry[] = []

  const begin = (entry: QueueEntry) => {
    const abort = new AbortController()
    const over = () => {
      running.delete(entry.key)
      fill()
    }
    const ended = entry.run(abort.signal).then(over, over)
    running.set(entry.key, { entry, abort, ended })
  }
  const countOf = (siteId: string) =>
    [...running.values()].filter(({ entry }) => entry.siteId === siteId).length
  const fill = () => {
    while (running.size < atOnce) {
      const next = waiting.find(({ siteId }) => countOf(siteId) < atOnceOfSite)
      if (!next) return
      waiting = waiting.filter((entry) => entry !== next)
      begin(next)
    }
  }

  const queue: RunQueue = {
    add(entry) {
      if (running.has(entry.key) || waiting.some(({ key }) => key === entry.key)) return false
      waiting.push(entry)
      fill()
      return true
    },
    start(entry) {
      if (running.has(entry.key)) return 'running'
      if (running.size >= atOnce) return 'full'
      waiting = waiting.filter(({ key }) => key !== entry.key)
      begin(entry)
      return 'started'
    },
    async end(isMeant) {
      waiting = waiting.filter((entry) => !isMeant(entry))
      const meant = [...running.values()].filter(({ entry }) => isMeant(entry))
      for (const { abort } of meant) abort.abort()
      await Promise.all(meant.map(({ ended }) => ended))
    },
    [Symbol.asyncDispose]: () => queue.end(() => true),
  }
  return queue
}
