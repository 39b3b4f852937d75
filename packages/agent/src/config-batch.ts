// Configuration changes that share one reload. A batch that the program refuses is taken back whole and its
// changes are tried one by one, so a bad change never costs a good one.
import type { Replaced } from './managed-file.ts'

/** Writes or removes files and says how to take that back. */
export type ConfigChange = () => Replaced[]

interface Waiting {
  change: ConfigChange
  resolve: (changed: boolean) => void
  reject: (error: unknown) => void
}

/** `reload` must throw when the program did not take the new configuration. */
export function createConfigBatch(reload: () => Promise<void>): (change: ConfigChange) => Promise<boolean> {
  const queue: Waiting[] = []
  let draining = false

  const attempt = async (batch: readonly Waiting[]): Promise<boolean> => {
    const done: Replaced[] = []
    const written: Waiting[] = []
    for (const waiting of batch) {
      try {
        done.push(...waiting.change())
        written.push(waiting)
      } catch (error) {
        waiting.reject(error)
      }
    }
    const changed = done.some((replaced) => replaced.changed)
    try {
      if (changed) await reload()
      for (const waiting of written) waiting.resolve(changed)
      return true
    } catch (error) {
      for (const replaced of done.reverse()) replaced.undo()
      if (batch.length > 1) return false
      for (const waiting of written) waiting.reject(error)
      return true
    }
  }

  const drain = async () => {
    while (queue.length > 0) {
      const batch = queue.splice(0)
      if (await attempt(batch)) continue
      for (const waiting of batch) await attempt([waiting])
    }
  }

  return (change) =>
    new Promise((resolve, reject) => {
      queue.push({ change, resolve, reject })
      if (draining) return
      draining = true
      // The microtask lets changes made in the same turn join the first batch.
      void Promise.resolve()
        .then(drain)
        .finally(() => {
          draining = false
        })
    })
}
