/** Share of hits among what could have been one, in whole percent; undefined before the first visit. */
export function hitRate({ hits, misses }: { hits: number; misses: number }): number | undefined {
  const total = hits + misses
  if (total === 0) return undefined
  const rate = (hits / total) * 100
  // 99.7 % is not all of them, and 0.2 % not none.
  if (rate > 99 && misses > 0) return 99
  if (rate < 1 && hits > 0) return 1
  return Math.round(rate)
}
