// A site may publish as often as it likes; the agent is asked for one purge of it at a time, and what comes meanwhile
// becomes the next one.
import type { PurgeTarget } from '@reeve/contract/cache.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { mergeTargets } from '../cache/targets.ts'

type Purged = { purged: number | null }

interface Batch {
  target: PurgeTarget
  waiting: number
  outcome: Promise<Purged>
}

/** Requests of one site that may wait for the same purge. */
const mostWaiting = 100

export interface PurgeQueue {
  /** Ends when a purge that covers the target, and began after this call, has ended. */
  add(siteId: string, target: PurgeTarget): Promise<Purged>
}

export function createPurgeQueue(
  purge: (siteId: string, target: PurgeTarget) => Promise<Purged>,
): PurgeQueue {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Batch>()

  const begin = async (siteId: string, batch: Batch): Promise<Purged> => {
    await running.get(siteId)?.catch(() => {})
    next.delete(siteId)
    const work = purge(siteId, batch.target)
    running.set(siteId, work)
    try {
      return await work
    } finally {
      if (running.get(siteId) === work) running.delete(siteId)
    }
  }

  return {
    add(siteId, target) {
      const waiting = next.get(siteId)
      if (waiting === undefined) {
        const batch: Batch = { target, waiting: 1, outcome: Promise.resolve({ purged: null }) }
        next.set(siteId, batch)
        batch.outcome = begin(siteId, batch)
        return batch.outcome
      }
      if (waiting.waiting >= mostWaiting) {
        throw new AppError('throttled', 'Too many purges of this site are waiting.', { retry_after_s: 1 })
      }
      waiting.waiting++
      waiting.target = mergeTargets(waiting.target, target)
      return waiting.outcome
    },
  }
}
