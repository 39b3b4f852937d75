import type { Task } from '@reeve/contract/tasks.ts'
import { Link } from '@tanstack/react-router'
import { TaskStatus } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { strings, taskKind } from '../lib/strings.ts'
import { useNarrow } from '../lib/use-narrow.ts'
import { Elapsed } from './task-view.tsx'

interface TaskTableProps {
  tasks: readonly Task[]
  /** On a site's own page its name need not be repeated. */
  withoutSite?: boolean
}

export function TaskTable({ tasks, withoutSite }: TaskTableProps) {
  const { columns } = strings.tasks
  if (useNarrow()) {
    return (
      <ul className="flex flex-col gap-2">
        {tasks.map((task) => (
          <TaskCard key={task.id} task={task} />
        ))}
      </ul>
    )
  }
  return (
    <div className="card overflow-x-auto">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{columns.state}</th>
            <th scope="col">{columns.what}</th>
            {withoutSite ? null : <th scope="col">{columns.site}</th>}
            <th scope="col" className="max-md:hidden">
              {columns.actor}
            </th>
            <th scope="col">{columns.when}</th>
            <th scope="col" className="!text-right">
              {columns.took}
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.id}>
              <td className="w-32">
                <TaskStatus state={task.state} />
              </td>
              <td>
                <Link to="/tasks/$id" params={{ id: task.id }} className="font-medium hover:underline">
                  {taskKind(task.kind)}
                </Link>
                {task.error ? (
                  <p className="max-w-56 truncate lg:max-w-md text-xs text-muted">{task.error}</p>
                ) : null}
              </td>
              {withoutSite ? null : (
                <td>
                  <TaskSite task={task} />
                </td>
              )}
              <td className="text-muted max-md:hidden">{task.actor}</td>
              <td className="text-muted">
                <Time at={task.created_at} />
              </td>
              <td className="text-right">
                <Elapsed task={task} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TaskCard({ task }: { task: Task }) {
  return (
    <li className="card relative flex flex-col gap-1 p-4">
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
    </li>
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
