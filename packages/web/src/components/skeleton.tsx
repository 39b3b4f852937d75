import { useEffect, useState } from 'react'
import { strings } from '../lib/strings.ts'

const delayMs = 150

/** Nothing for the first moment: an answer that comes at once should not flash a placeholder. */
function useDelayed(): boolean {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delayMs)
    return () => clearTimeout(timer)
  }, [])
  return shown
}

const widths = ['w-40', 'w-56', 'w-32', 'w-48', 'w-44', 'w-36']

export function SkeletonRows({ rows = 6 }: { rows?: number }) {
  const shown = useDelayed()
  if (!shown) return null
  return (
    <div role="status" aria-label={strings.common.loading} className="card divide-y">
      {Array.from({ length: rows }, (_, row) => (
        // The rows are all alike and never change places.
        <div key={row} className="flex h-9 items-center gap-6 px-3">
          <span className="skeleton h-3.5 w-20" />
          <span className={`skeleton h-3.5 ${widths[row % widths.length]}`} />
          <span className="skeleton ml-auto h-3.5 w-16" />
        </div>
      ))}
    </div>
  )
}

export function SkeletonCards({ cards = 4 }: { cards?: number }) {
  const shown = useDelayed()
  if (!shown) return null
  return (
    <div
      role="status"
      aria-label={strings.common.loading}
      className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3"
    >
      {Array.from({ length: cards }, (_, card) => (
        <div key={card} className="card flex flex-col gap-3 p-5">
          <span className="skeleton h-3.5 w-24" />
          <span className="skeleton h-3.5 w-full" />
          <span className="skeleton h-3.5 w-2/3" />
        </div>
      ))}
    </div>
  )
}
