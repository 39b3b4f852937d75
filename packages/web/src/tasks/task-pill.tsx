import { useQuery } from '@tanstack/react-query'
import { LoaderCircle } from 'lucide-react'
import { tasksQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { isUnderWay } from './running.ts'

/** On every page: how much is running, and the way to it. */
export function TaskPill({ onOpen }: { onOpen: () => void }) {
  const { data: tasks = [] } = useQuery(tasksQuery)
  const running = tasks.filter(isUnderWay)
  if (running.length === 0) return null
  const progress = running.reduce((sum, task) => sum + task.progress, 0) / running.length
  return (
    <button
      type="button"
      onClick={onOpen}
      className="rise pointer-coarse:min-h-11 relative flex min-h-9 w-full items-center gap-2.5 overflow-hidden rounded-md border bg-surface px-2.5 text-sm font-medium hover:bg-hover"
    >
      <LoaderCircle aria-hidden size={15} className="spin flex-none text-working" />
      {strings.tasks.pill(running.length)}
      <span
        aria-hidden
        className="absolute bottom-0 left-0 h-0.5 bg-working"
        style={{ width: `${Math.round(progress * 100)}%` }}
      />
    </button>
  )
}
