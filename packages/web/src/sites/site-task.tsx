import type { Site } from '@reeve/contract/sites.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Notice } from '../components/notice.tsx'
import { duration } from '../lib/format.ts'
import { taskQuery } from '../lib/queries.ts'
import { strings, taskKind } from '../lib/strings.ts'
import { isUnderWay } from '../tasks/running.ts'
import { TaskView } from '../tasks/task-view.tsx'

/** What is being done to the site, in place; once it is over, how it ended, until one leaves the page. */
export function SiteTask({ site }: { site: Site }) {
  const [seen, setSeen] = useState(site.task_id)
  if (site.task_id !== null && site.task_id !== seen) setSeen(site.task_id)
  if (seen === null) return null
  return <TaskInPlace id={seen} domain={site.domain} />
}

function TaskInPlace({ id, domain }: { id: string; domain: string }) {
  const { data: task } = useQuery(taskQuery(id))
  if (task?.state === 'succeeded') {
    const took =
      task.started_at && task.finished_at ? Date.parse(task.finished_at) - Date.parse(task.started_at) : 0
    return (
      <div role="status" className="mb-6">
        <Notice
          tone="healthy"
          action={
            <Link to="/tasks/$id" params={{ id }} className="link mt-1.5 mr-2">
              {strings.tasks.details}
            </Link>
          }
        >
          <strong className="font-semibold">
            {task.kind === 'site.create' ? strings.site.ready(domain) : taskKind(task.kind)}
          </strong>
          <span className="text-muted"> · {duration(took)}</span>
        </Notice>
      </div>
    )
  }
  return (
    <section className="card mb-8 p-5" aria-live={task && isUnderWay(task) ? 'polite' : undefined}>
      <h2 className="mb-3 font-semibold">{task ? taskKind(task.kind) : strings.common.loading}</h2>
      <TaskView id={id} />
    </section>
  )
}
