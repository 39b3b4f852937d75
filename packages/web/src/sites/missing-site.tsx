// A site that is not there: never was, was deleted, or its creation was undone. The tasks tell which.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useEffect } from 'react'
import { Empty, Page, Problem } from '../components/page.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { announce } from '../components/toasts.tsx'
import { useManageReason } from '../lib/access.ts'
import { ApiError } from '../lib/api.ts'
import { tasksQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { TaskView } from '../tasks/task-view.tsx'
import { useTasksOf } from '../tasks/use-tasks-of.ts'

const justNowMs = 20_000

export function MissingSite({ id }: { id: string }) {
  const { isPending } = useQuery(tasksQuery)
  const task = useTasksOf(id)[0]
  if (isPending) {
    return (
      <Page title="…">
        <SkeletonCards />
      </Page>
    )
  }
  const domain = task?.site_domain ?? ''
  if (task?.kind === 'site.create' && task.state !== 'succeeded')
    return <FailedCreation taskId={task.id} domain={domain} />
  if (task?.kind === 'site.delete') return <Deleted domain={domain} finishedAt={task.finished_at} />
  return <Problem error={new ApiError(404, 'not_found', strings.errors.notFound)} />
}

function FailedCreation({ taskId, domain }: { taskId: string; domain: string }) {
  const reason = useManageReason()
  return (
    <Page
      title={strings.site.failedCreate(domain)}
      lead={strings.site.failedCreateText}
      actions={
        reason === undefined ? (
          <Link to="/sites/new" search={{ again: taskId }} className="button button-primary">
            {strings.site.tryAgain}
          </Link>
        ) : null
      }
    >
      <section className="card p-5">
        <TaskView id={taskId} />
      </section>
    </Page>
  )
}

function Deleted({ domain, finishedAt }: { domain: string; finishedAt: string | null }) {
  const navigate = useNavigate()
  const justNow = finishedAt !== null && Date.now() - Date.parse(finishedAt) < justNowMs
  useEffect(() => {
    if (!justNow) return
    announce(strings.site.deleted(domain))
    void navigate({ to: '/sites', replace: true })
  }, [justNow, domain, navigate])
  return (
    <Page title={strings.site.gone(domain)}>
      <Empty
        icon={<CircleCheck aria-hidden size={28} strokeWidth={1.5} />}
        text={strings.site.goneText}
        action={
          <Link to="/sites" className="button button-secondary">
            {strings.errors.back}
          </Link>
        }
      />
    </Page>
  )
}
