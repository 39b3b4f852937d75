import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Page, Problem } from '../components/page.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { Time } from '../components/time.tsx'
import { useManageReason } from '../lib/access.ts'
import { taskQuery } from '../lib/queries.ts'
import { strings, taskKind } from '../lib/strings.ts'
import { TaskSite } from './task-table.tsx'
import { TaskView } from './task-view.tsx'

export function TaskPage() {
  const { id } = useParams({ from: '/shell/tasks/$id' })
  const { data: task, error, refetch } = useQuery(taskQuery(id))
  const reason = useManageReason()
  if (!task) {
    if (error) return <Problem error={error} onRetry={() => void refetch()} />
    return (
      <Page title="…">
        <SkeletonCards cards={2} />
      </Page>
    )
  }
  const canRepeat = task.kind === 'site.create' && task.state === 'failed' && reason === undefined
  return (
    <Page
      title={taskKind(task.kind)}
      lead={
        <span className="flex flex-wrap gap-x-3">
          <TaskSite task={task} />
          <span>
            {strings.tasks.by} {task.actor}, <Time at={task.created_at} />
          </span>
          <code className="font-mono text-xs leading-5">{task.id}</code>
        </span>
      }
      actions={
        canRepeat ? (
          <Link to="/sites/new" search={{ again: task.id }} className="button button-primary">
            {strings.site.tryAgain}
          </Link>
        ) : null
      }
    >
      <section className="card max-w-3xl p-5">
        <TaskView id={id} />
      </section>
    </Page>
  )
}
