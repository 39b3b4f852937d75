import { CircleCheck } from 'lucide-react'
import { createStore, useStore } from '../lib/store.ts'

interface Toast {
  id: number
  text: string
}

const toasts = createStore<readonly Toast[]>([])
let lastId = 0
const shownMs = 6_000

/** Tells of a success, in passing. Failures stay beside what failed instead. */
export function announce(text: string): void {
  lastId += 1
  const id = lastId
  toasts.set([...toasts.get(), { id, text }])
  setTimeout(() => toasts.set(toasts.get().filter((toast) => toast.id !== id)), shownMs)
}

export function Toasts() {
  const shown = useStore(toasts)
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-center gap-2 sm:left-auto sm:items-end"
    >
      {shown.map((toast) => (
        <p
          key={toast.id}
          className="rise flex max-w-96 items-start gap-2 rounded-lg border bg-surface px-3.5 py-2.5 shadow-(--shadow)"
        >
          <CircleCheck aria-hidden size={16} className="mt-0.5 flex-none text-healthy" />
          {toast.text}
        </p>
      ))}
    </div>
  )
}
