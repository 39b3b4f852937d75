import type { CronJob, createCronJob } from '@reeve/contract/cron.ts'
import { nextRuns, parseSchedule, type Schedule } from '@reeve/contract/cron-schedule.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { NumberField, TextField } from '../components/text-field.tsx'
import { useClock } from '../components/time.tsx'
import { announce } from '../components/toasts.tsx'
import { verbatim } from '../components/verbatim.ts'
import { useManageReason } from '../lib/access.ts'
import { type BodyOf, call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { NextRuns } from './next-runs.tsx'
import { inWords } from './schedule-words.ts'

type NewJob = BodyOf<typeof createCronJob>

const text = strings.cron

const creation = (siteId: string, body: NewJob) =>
  ({ method: 'POST', path: `/api/sites/${siteId}/cron`, body }) as const

const presets = [
  ['fiveMinutes', '*/5 * * * *'],
  ['hourly', '17 * * * *'],
  ['daily', '15 3 * * *'],
  ['weekly', '15 3 * * 1'],
  ['monthly', '15 3 1 * *'],
] as const

export function NewCronJobDialog({ siteId, onClose }: { siteId: string; onClose: () => void }) {
  const client = useQueryClient()
  const reason = useManageReason()
  const [command, setCommand] = useState('')
  const [schedule, setSchedule] = useState('15 3 * * *')
  const [timeout, setTimeoutS] = useState('300')
  const body: NewJob = {
    command: command.trim(),
    schedule: tidy(schedule),
    timeout_s: Number(timeout),
  }
  const create = useMutation({
    mutationFn: (job: NewJob) => call<CronJob>(creation(siteId, job)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sites', siteId, 'cron'] })
      announce(text.created)
      onClose()
    },
  })
  const rejected = rejection(create.error, {
    command: text.command,
    schedule: text.schedule,
    timeout_s: text.timeout,
  })
  const errorOf = (field: string) => (rejected?.field === field ? rejected.message : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason === undefined && !create.isPending) create.mutate(body)
  }
  return (
    <Dialog title={text.newTitle} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-5 p-5">
        {create.error && !rejected?.field ? <ErrorNotice error={create.error} /> : null}
        <TextField
          {...verbatim}
          name="command"
          label={text.command}
          hint={text.commandHint}
          error={errorOf('command')}
          data-autofocus
          className="font-mono"
          value={command}
          onChange={setCommand}
        />
        <ScheduleField schedule={schedule} error={errorOf('schedule')} onChange={setSchedule} />
        <NumberField
          name="timeout_s"
          label={text.timeout}
          hint={text.timeoutHint}
          error={errorOf('timeout_s')}
          min={10}
          max={21_600}
          className="!w-32"
          value={timeout}
          onChange={setTimeoutS}
        />
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => creation(siteId, body)} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" look="primary" busy={create.isPending} reason={reason} tipSide="end">
            {text.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const tidy = (schedule: string): string => schedule.trim().replace(/\s+/g, ' ')

interface ScheduleFieldProps {
  schedule: string
  error: string | undefined
  onChange: (schedule: string) => void
}

function ScheduleField({ schedule, error, onChange }: ScheduleFieldProps) {
  const parsed = parseSchedule(tidy(schedule))
  return (
    <div className="flex flex-col gap-2">
      <TextField
        {...verbatim}
        name="schedule"
        label={text.schedule}
        hint={text.scheduleHint}
        error={error}
        className="font-mono"
        value={schedule}
        onChange={onChange}
      />
      <div role="status" className="min-h-19 text-sm">
        {'schedule' in parsed ? <Meaning schedule={parsed.schedule} /> : text.notASchedule(parsed.problem)}
      </div>
      <div role="group" aria-label={text.presets} className="flex flex-wrap gap-1.5">
        {presets.map(([name, value]) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={schedule === value}
            onClick={() => onChange(value)}
          >
            {text.presetNames[name]}
          </button>
        ))}
      </div>
    </div>
  )
}

function Meaning({ schedule }: { schedule: Schedule }) {
  const minute = useClock((nowMs) => Math.floor(nowMs / 60_000))
  const runs = nextRuns(schedule, new Date(minute * 60_000), 3).map((run) => run.toISOString())
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-1">
      <p className="min-w-0 flex-1 basis-40 font-medium">{inWords(schedule)}</p>
      <div>
        <p className="text-xs text-muted">{text.firstRuns}</p>
        <NextRuns runs={runs} />
      </div>
    </div>
  )
}
