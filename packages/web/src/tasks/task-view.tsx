import type { Task, TaskStep } from '@reeve/contract/tasks.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ErrorNotice, Notice } from '../components/notice.tsx'
import { StepIcon, TaskStatus } from '../components/status.tsx'
import { useClock } from '../components/time.tsx'
import { CopyButton } from '../components/copy.tsx'
import { duration } from '../lib/format.ts'
import { taskQuery } from '../lib/queries.ts'
import { stepName, strings, taskKind } from '../lib/strings.ts'
import { LogView } from './log-view.tsx'
import { isUnderWay } from './running.ts'

/** One task in place: its steps as they happen, its error in full, its log. */
export function TaskView({ id, heading }: { id: string; heading?: boolean }) {
  const { data: task, error } = useQuery(taskQuery(id))
  if (!task) return error ? <ErrorNotice error={error} /> : null
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {heading ? (
          <h3 className="font-semibold wrap-anywhere">
            <Link to="/tasks/$id" params={{ id }} className="hover:underline">
              {taskKind(task.kind)}
              {task.site_domain ? ` · ${task.site_domain}` : ''}
            </Link>
          </h3>
        ) : null}
        <TaskStatus state={task.state} />
        <Progress task={task} />
        <Elapsed task={task} />
      </div>
      {task.error ? (
        <Notice tone="failed" action={<CopyButton text={task.error} label={strings.errors.copy} />}>
          {task.error}
        </Notice>
      ) : null}
      <Steps steps={task.steps} />
      <LogView task={task} />
    </div>
  )
}

function Progress({ task }: { task: Task }) {
  const done = task.steps.filter((step) => step.state === 'succeeded').length
  if (task.steps.length === 0 || !isUnderWay(task)) return null
  return <span className="text-sm text-muted">{strings.tasks.progress(done, task.steps.length)}</span>
}

/** How long it took, or has taken until now. */
export function Elapsed({ task }: { task: Task }) {
  const now = useClock((nowMs) => nowMs)
  if (!task.started_at) return null
  const started = Date.parse(task.started_at)
  // The clock of the page moves by the second, so only what is over has tenths.
  const took = task.finished_at
    ? duration(Date.parse(task.finished_at) - started)
    : strings.tasks.elapsed(Math.max(0, Math.floor((now - started) / 1000)))
  return <span className="text-sm whitespace-nowrap text-muted">{took}</span>
}

function Steps({ steps }: { steps: readonly TaskStep[] }) {
  if (steps.length === 0) return null
  return (
    <ol aria-label={strings.tasks.stepsTitle} className="flex flex-col">
      {steps.map((step) => (
        <li key={step.name} className="flex min-h-7 items-center gap-2.5">
          <StepIcon state={step.state} />
          <span className={step.state === 'pending' ? 'text-muted' : ''}>{stepName(step.name)}</span>
          <span className="sr-only">{strings.tasks.stepStates[step.state]}</span>
          <StepOutcome step={step} />
        </li>
      ))}
    </ol>
  )
}

/** A step that went well says how long it took; any other end is said in a word. */
function StepOutcome({ step }: { step: TaskStep }) {
  if (step.state === 'failed' || step.state === 'undone') {
    return (
      <span aria-hidden className="ml-auto text-xs text-muted">
        {strings.tasks.stepStates[step.state]}
      </span>
    )
  }
  if (step.state !== 'succeeded' || !step.started_at || !step.finished_at) return null
  return (
    <span className="ml-auto text-xs text-muted">
      {duration(Date.parse(step.finished_at) - Date.parse(step.started_at))}
    </span>
  )
}
