import { useSyncExternalStore } from 'react'

// The same width as Tailwind's `sm`.
const narrow = window.matchMedia('(max-width: 639.98px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether tables become cards. Only one of the two is in the page: the other would double every row. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
