// One holder a key at a time, in the order of asking.

export interface KeyedLock {
  hold<T>(key: string, work: () => Promise<T>): Promise<T>
  isHeld(key: string): boolean
}

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>()
  return {
    isHeld: (key) => tails.has(key),
    async hold(key, work) {
      const before = tails.get(key) ?? Promise.resolve()
      const mine = before.then(work, work)
      const tail = mine.catch(() => {})
      tails.set(key, tail)
      try {
        return await mine
      } finally {
        if (tails.get(key) === tail) tails.delete(key)
      }
    },
  }
}
