import type { Site } from '@reeve/contract/sites.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Notice } from '../components/notice.tsx'
import { TaskStatus } from '../components/status.tsx'
import { duration } from '../lib/format.ts'
import { type TaskWithLog, taskQuery } from '../lib/queries.ts'
import { strings, taskKind } from '../lib/strings.ts'
import { isUnderWay } from '../tasks/running.ts'
import { Elapsed, TaskView } from '../tasks/task-view.tsx'

interface SiteTaskProps {
  site: Site
  /** On one line, to be opened: where a form is the matter. */
  brief: boolean
}

/** What is being done to the site, in place; once it is over, how it ended, until one leaves the page. */
export function SiteTask({ site, brief }: SiteTaskProps) {
  const [seen, setSeen] = useState(site.task_id)
  if (site.task_id !== null && site.task_id !== seen) setSeen(site.task_id)
  if (seen === null) return null
  return <TaskInPlace id={seen} domain={site.domain} brief={brief} />
}

function TaskInPlace({ id, domain, brief }: { id: string; domain: string; brief: boolean }) {
  const { data: task } = useQuery(taskQuery(id))
  if (task?.state === 'succeeded') return <Done task={task} domain={domain} />
  const live = task && isUnderWay(task) ? 'polite' : undefined
  if (brief && task) return <BriefTask key={id} task={task} />
  return (
    <section className="card mb-8 p-5" aria-live={live}>
      <h2 className="mb-3 font-semibold">{task ? taskKind(task.kind) : strings.common.loading}</h2>
      <TaskView id={id} />
    </section>
  )
}

function Done({ task, domain }: { task: TaskWithLog; domain: string }) {
  const took =
    task.started_at && task.finished_at ? Date.parse(task.finished_at) - Date.parse(task.started_at) : 0
  return (
    <div role="status" className="mb-6">
      <Notice
        tone="healthy"
        action={
          <Link to="/tasks/$id" params={{ id: task.id }} className="link mt-1.5 mr-2">
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

function BriefTask({ task }: { task: TaskWithLog }) {
  return (
    <details className="card group mb-6">
      <summary className="pointer-coarse:min-h-11 flex min-h-10 list-none flex-wrap items-center gap-x-3 px-4 py-2 select-none">
        <ChevronRight
          aria-hidden
          size={15}
          className="flex-none text-muted transition-transform duration-100 group-open:rotate-90"
        />
        <span className="font-medium">{taskKind(task.kind)}</span>
        <span aria-live="polite">
          <TaskStatus state={task.state} />
        </span>
        <Elapsed task={task} />
      </summary>
      <div className="border-t p-4">
        <TaskView id={task.id} />
      </div>
    </details>
  )
}
