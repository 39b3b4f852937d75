import type { Task } from '@reeve/contract/tasks.ts'
import { Link } from '@tanstack/react-router'
import { type Column, RecordTable } from '../components/record-table.tsx'
import { TaskStatus } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { strings, taskKind } from '../lib/strings.ts'
import { Elapsed } from './task-view.tsx'

interface TaskTableProps {
  tasks: readonly Task[]
  /** On a site's own page its name need not be repeated. */
  withoutSite?: boolean
}

export function TaskTable({ tasks, withoutSite }: TaskTableProps) {
  const shown = withoutSite ? columns.filter((column) => column !== siteColumn) : columns
  return (
    <RecordTable
      rows={tasks}
      keyOf={(task) => task.id}
      columns={shown}
      card={(task) => <TaskCard task={task} />}
    />
  )
}

const { columns: labels } = strings.tasks

const siteColumn: Column<Task> = { label: labels.site, cell: (task) => <TaskSite task={task} /> }

const columns: readonly Column<Task>[] = [
  { label: labels.state, className: 'w-32', cell: (task) => <TaskStatus state={task.state} /> },
  { label: labels.what, cell: (task) => <TaskName task={task} /> },
  siteColumn,
  {
    label: labels.actor,
    className: 'text-muted max-md:hidden',
    headClassName: 'max-md:hidden',
    cell: (task) => task.actor,
  },
  { label: labels.when, className: 'text-muted', cell: (task) => <Time at={task.created_at} /> },
  {
    label: labels.took,
    className: 'text-right',
    headClassName: '!text-right',
    cell: (task) => <Elapsed task={task} />,
  },
]

function TaskName({ task }: { task: Task }) {
  return (
    <>
      <Link to="/tasks/$id" params={{ id: task.id }} className="font-medium hover:underline">
        {taskKind(task.kind)}
      </Link>
      {task.error ? <p className="max-w-56 truncate lg:max-w-md text-xs text-muted">{task.error}</p> : null}
    </>
  )
}

function TaskCard({ task }: { task: Task }) {
  return (
    <>
      <div className="flex items-start justify-between gap-3">
        <Link
          to="/tasks/$id"
          params={{ id: task.id }}
          className="min-w-0 font-medium after:absolute after:inset-0"
        >
          {taskKind(task.kind)}
        </Link>
        <TaskStatus state={task.state} />
      </div>
      <p className="text-sm wrap-anywhere text-muted">
        {task.site_domain ?? strings.tasks.noSite} · <Time at={task.created_at} />
      </p>
    </>
  )
}

/** The site a task is about, by the name it had; the link leads nowhere once the site is gone, and says so. */
export function TaskSite({ task }: { task: Task }) {
  if (!task.site_id) return <span className="text-muted">{strings.tasks.noSite}</span>
  return (
    <Link to="/sites/$id" params={{ id: task.site_id }} className="hover:underline">
      {task.site_domain ?? task.site_id}
    </Link>
  )
}
