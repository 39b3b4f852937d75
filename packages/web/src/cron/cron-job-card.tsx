import type { CronJob, CronRun, listCronJobs, runCronJob } from '@reeve/contract/cron.ts'
import { parseSchedule } from '@reeve/contract/cron-schedule.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronRight, Play, Trash2 } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { type Health, Status } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { announce } from '../components/toasts.tsx'
import { call, type ResponseOf } from '../lib/api.ts'
import { duration } from '../lib/format.ts'
import { strings } from '../lib/strings.ts'
import { NextRuns } from './next-runs.tsx'
import { inWords } from './schedule-words.ts'

const text = strings.cron

const running = (id: string) => ({ method: 'POST', path: `/api/cron/${id}/run`, body: {} }) as const

function useRun(job: CronJob) {
  const client = useQueryClient()
  const queryKey = ['sites', job.site_id, 'cron']
  return useMutation({
    mutationFn: () => call<ResponseOf<typeof runCronJob>>(running(job.id)),
    onSuccess: (started) => {
      announce(text.started)
      client.setQueryData<ResponseOf<typeof listCronJobs>>(
        queryKey,
        (old) => old && { jobs: old.jobs.map((other) => (other.id === started.id ? started : other)) },
      )
      void client.invalidateQueries({ queryKey })
    },
  })
}

interface CronJobCardProps {
  job: CronJob
  reason: string | undefined
  onDelete: () => void
}

export function CronJobCard({ job, reason, onDelete }: CronJobCardProps) {
  const run = useRun(job)
  const isRunning = job.last_run?.outcome === 'running'
  const name = job.built_in ? text.builtIn : job.command
  return (
    <li className="card">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 p-4">
        <div className="min-w-0 flex-1 basis-64">
          {job.built_in ? (
            <p className="font-medium">
              {text.builtIn}
              <span className="block text-sm font-normal text-muted">{text.builtInText}</span>
            </p>
          ) : (
            <code className="font-mono text-sm wrap-anywhere">{job.command}</code>
          )}
          <ScheduleLine job={job} />
        </div>
        <div className="w-40 flex-none">
          <p className="text-xs text-muted">{text.next}</p>
          {job.next_runs.length > 0 ? (
            <NextRuns runs={job.next_runs} />
          ) : (
            <p className="text-sm">{text.noNext}</p>
          )}
        </div>
        <div className="flex flex-none gap-1 sm:w-40 sm:justify-end">
          <Button
            look="secondary"
            aria-label={text.runLabel(name)}
            busy={run.isPending}
            reason={reason ?? (isRunning ? text.runs : undefined)}
            tipSide="end"
            onClick={() => run.mutate()}
          >
            <Play aria-hidden size={14} />
            {text.run}
          </Button>
          {job.built_in ? null : (
            <Button
              look="quiet"
              icon
              aria-label={text.deleteLabel(name)}
              title={text.delete}
              reason={reason}
              tipSide="end"
              onClick={onDelete}
            >
              <Trash2 aria-hidden size={15} />
            </Button>
          )}
        </div>
      </div>
      {run.error ? (
        <div className="px-4 pb-4">
          <ErrorNotice error={run.error} />
        </div>
      ) : null}
      <LastRun run={job.last_run} name={name} />
    </li>
  )
}

function ScheduleLine({ job }: { job: CronJob }) {
  const parsed = parseSchedule(job.schedule)
  const words = 'schedule' in parsed ? inWords(parsed.schedule) : undefined
  return (
    <p className="mt-1 flex flex-wrap gap-x-2 text-sm">
      {words ? <span>{words}</span> : null}
      <code className="font-mono text-xs leading-[18px] text-muted">{job.schedule}</code>
      {job.enabled ? null : <Status health="off" word={text.disabled} />}
    </p>
  )
}

const healths: Record<CronRun['outcome'], Health> = {
  running: 'working',
  succeeded: 'healthy',
  failed: 'failed',
  timed_out: 'failed',
  interrupted: 'attention',
}

function LastRun({ run, name }: { run: CronRun | null; name: string }) {
  if (!run) return <p className="border-t px-4 py-2.5 text-sm text-muted">{text.never}</p>
  return (
    <details className="group border-t">
      <summary className="pointer-coarse:min-h-11 flex min-h-10 list-none flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 text-sm select-none">
        <ChevronRight
          aria-hidden
          size={14}
          className="flex-none text-muted transition-transform duration-100 group-open:rotate-90"
        />
        <Status health={healths[run.outcome]} word={text.outcomes[run.outcome]} />
        <Time at={run.started_at} />
        <span className="text-muted">{tookOf(run)}</span>
        <span className="sr-only">{name}</span>
      </summary>
      <div className="relative px-4 pb-4">
        <pre
          // A scrolling box must be reachable by keyboard.
          tabIndex={0}
          role="log"
          aria-live="off"
          aria-label={`${text.output}: ${name}`}
          className="max-h-72 overflow-auto rounded-lg border bg-log py-2 pr-12 pl-3 font-mono text-xs leading-[18px] wrap-anywhere whitespace-pre-wrap"
        >
          {run.output || <span className="text-muted">{text.noOutput}</span>}
        </pre>
        {run.output ? (
          <span className="absolute top-1 right-5">
            <CopyButton text={run.output} label={strings.common.copy} />
          </span>
        ) : null}
      </div>
    </details>
  )
}

function tookOf(run: CronRun): string {
  const parts: string[] = []
  if (run.finished_at !== null) {
    parts.push(text.took(duration(Date.parse(run.finished_at) - Date.parse(run.started_at))))
  }
  if (run.exit_code !== null && run.exit_code !== 0) parts.push(text.exit(run.exit_code))
  return parts.join(', ')
}
