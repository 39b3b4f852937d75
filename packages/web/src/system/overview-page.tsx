import type { Task } from '@reeve/contract/tasks.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, LoaderCircle, OctagonX, TriangleAlert } from 'lucide-react'
import { Page, Problem, Section } from '../components/page.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { useClock } from '../components/time.tsx'
import { megabytes } from '../lib/format.ts'
import { bootstrapQuery, capacityQuery, sitesQuery, tasksQuery } from '../lib/queries.ts'
import { strings, taskKind } from '../lib/strings.ts'
import { NewSiteLink } from '../sites/new-site-link.tsx'
import { isUnderWay } from '../tasks/running.ts'
import { TaskTable } from '../tasks/task-table.tsx'
import { Elapsed } from '../tasks/task-view.tsx'
import { type Concern, concernsOf } from './attention.ts'
import { FirstRun } from './first-run.tsx'

const recentTasks = 6

export function OverviewPage() {
  const sites = useQuery(sitesQuery)
  const tasks = useQuery(tasksQuery)
  const minute = useClock((nowMs) => Math.floor(nowMs / 60_000))
  if (!sites.data || !tasks.data) {
    const error = sites.error ?? tasks.error
    if (error)
      return <Problem error={error} onRetry={() => void Promise.all([sites.refetch(), tasks.refetch()])} />
    return (
      <Page title={strings.home.title}>
        <SkeletonCards />
      </Page>
    )
  }
  const concerns = concernsOf(sites.data, tasks.data, minute * 60_000)
  const running = tasks.data.filter(isUnderWay)
  const recent = tasks.data.filter((task) => !isUnderWay(task)).slice(0, recentTasks)
  const isEmpty = sites.data.length === 0
  return (
    <Page
      title={<Headline sites={sites.data.length} concerns={concerns} />}
      lead={
        running.length > 0
          ? strings.home.working(running.length)
          : concerns.length === 0 && !isEmpty
            ? strings.home.quiet
            : null
      }
      actions={isEmpty ? null : <NewSiteLink />}
    >
      {concerns.length > 0 ? <ConcernList concerns={concerns} /> : null}
      {running.length > 0 ? <RunningList tasks={running} /> : null}
      {isEmpty && running.length === 0 ? <FirstRun /> : null}
      <ServerLine sites={sites.data.length} />
      {recent.length > 0 ? (
        <Section
          title={strings.home.recent}
          aside={
            <Link to="/tasks" className="link">
              {strings.home.allTasks}
            </Link>
          }
        >
          <TaskTable tasks={recent} />
        </Section>
      ) : null}
    </Page>
  )
}

function Headline({ sites, concerns }: { sites: number; concerns: readonly Concern[] }) {
  const [Icon, color, text] =
    concerns.length > 0
      ? concerns.some((concern) => concern.severity === 'failed')
        ? ([OctagonX, 'text-failed', strings.home.needYou(concerns.length)] as const)
        : ([TriangleAlert, 'text-attention', strings.home.needYou(concerns.length)] as const)
      : sites === 0
        ? ([CircleCheck, 'text-healthy', strings.home.nothingYet] as const)
        : ([CircleCheck, 'text-healthy', strings.home.allHealthy(sites)] as const)
  return (
    <span className="flex items-center gap-2.5 sm:text-2xl">
      <Icon aria-hidden size={24} strokeWidth={2} className={`flex-none ${color}`} />
      {text}
    </span>
  )
}

function ConcernList({ concerns }: { concerns: readonly Concern[] }) {
  return (
    <Section title={strings.home.attention}>
      <ul className="card divide-y">
        {concerns.map((concern) => (
          <li key={concern.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            {concern.severity === 'failed' ? (
              <OctagonX aria-hidden size={16} className="flex-none text-failed" />
            ) : (
              <TriangleAlert aria-hidden size={16} className="flex-none text-attention" />
            )}
            <p className="min-w-0 flex-1 basis-60 wrap-anywhere">
              <span className="sr-only">{strings.status[concern.severity]}: </span>
              <strong className="font-semibold">{concern.subject}</strong>
              <span className="block text-sm text-muted">{concern.text}</span>
            </p>
            {concern.siteId !== undefined ? (
              <Link to="/sites/$id" params={{ id: concern.siteId }} className="button button-secondary">
                {strings.home.openSite}
              </Link>
            ) : (
              <Link to="/tasks/$id" params={{ id: concern.taskId }} className="button button-secondary">
                {strings.home.openTask}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function RunningList({ tasks }: { tasks: readonly Task[] }) {
  return (
    <Section title={strings.home.running}>
      <ul className="card divide-y">
        {tasks.map((task) => (
          <li key={task.id} className="relative flex items-center gap-3 px-4 py-2.5">
            <LoaderCircle aria-hidden size={16} className="spin flex-none text-working" />
            <Link
              to="/tasks/$id"
              params={{ id: task.id }}
              className="min-w-0 flex-1 font-medium wrap-anywhere hover:underline"
            >
              {taskKind(task.kind)}
              {task.site_domain ? ` · ${task.site_domain}` : ''}
            </Link>
            <Elapsed task={task} />
            <span
              aria-hidden
              className="absolute bottom-0 left-0 h-0.5 bg-working"
              style={{ width: `${task.progress * 100}%` }}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function ServerLine({ sites }: { sites: number }) {
  const { data: capacity } = useQuery(capacityQuery)
  const { data: bootstrap } = useQuery(bootstrapQuery)
  const facts = [
    [strings.home.sites, String(sites)],
    [strings.home.memory, capacity ? megabytes(capacity.memory_mb) : '–'],
    [strings.home.phpVersions, capacity ? capacity.php_versions.join(', ') || strings.common.none : '–'],
    [strings.home.workers, capacity ? String(capacity.php_workers) : '–'],
    [strings.home.version, bootstrap?.version ?? '–'],
  ] as const
  return (
    <Section title={strings.home.server}>
      <dl className="card grid grid-cols-2 sm:grid-cols-3 md:grid-cols-5 md:divide-x">
        {facts.map(([name, value]) => (
          <div key={name} className="px-5 py-3.5">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="mt-0.5 text-lg font-semibold">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
