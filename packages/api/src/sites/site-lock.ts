/** Changes that tell the agent a site's whole list, one at a time a site, in the order of asking. */
export interface SiteLock {
  hold<T>(siteId: string, work: () => Promise<T>): Promise<T>
}

export function createSiteLock(): SiteLock {
  const tails = new Map<string, Promise<unknown>>()
  return {
    async hold(siteId, work) {
      const before = tails.get(siteId) ?? Promise.resolve()
      const mine = before.then(work, work)
      const tail = mine.catch(() => {})
      tails.set(siteId, tail)
      try {
        return await mine
      } finally {
        if (tails.get(siteId) === tail) tails.delete(siteId)
      }
    },
  }
}
