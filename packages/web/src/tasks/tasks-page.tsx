import type { Task } from '@reeve/contract/tasks.ts'
import { useQuery } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { useState } from 'react'
import { Empty, Page, Problem } from '../components/page.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { tasksQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { isUnderWay } from './running.ts'
import { TaskTable } from './task-table.tsx'

const filters = {
  all: { label: strings.tasks.all, matches: () => true, none: strings.tasks.empty },
  running: { label: strings.tasks.runningOnly, matches: isUnderWay, none: strings.tasks.noneRunning },
  failed: {
    label: strings.tasks.failedOnly,
    matches: (task: Task) => task.state === 'failed',
    none: strings.tasks.noneFailed,
  },
} as const
type Filter = keyof typeof filters
const filterNames = ['all', 'running', 'failed'] as const satisfies readonly Filter[]

export function TasksPage() {
  const { data: tasks, error, refetch } = useQuery(tasksQuery)
  const [filter, setFilter] = useState<Filter>('all')
  if (error && !tasks) return <Problem error={error} onRetry={() => void refetch()} />
  const shown = (tasks ?? []).filter((task) => filters[filter].matches(task))
  return (
    <Page title={strings.tasks.title}>
      {tasks === undefined ? <SkeletonRows /> : null}
      {tasks && tasks.length > 0 ? (
        <div className="mb-3 flex flex-wrap gap-1.5">
          {filterNames.map((name) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-pressed={filter === name}
              onClick={() => setFilter(name)}
            >
              {filters[name].label}
              <span className="opacity-80">{tasks.filter((task) => filters[name].matches(task)).length}</span>
            </button>
          ))}
        </div>
      ) : null}
      {shown.length > 0 ? <TaskTable tasks={shown} /> : null}
      {tasks && shown.length === 0 ? (
        <Empty icon={<ListChecks aria-hidden size={28} strokeWidth={1.5} />} text={filters[filter].none} />
      ) : null}
    </Page>
  )
}
