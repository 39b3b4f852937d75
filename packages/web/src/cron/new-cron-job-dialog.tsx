import type { CronJob, createCronJob } from '@reeve/contract/cron.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { announce } from '../components/toasts.tsx'
import { useManageReason } from '../lib/access.ts'
import { type BodyOf, call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { inWords, parseSchedule } from './schedule.ts'

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
    schedule: schedule.trim().replace(/\s+/g, ' '),
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
        <Field name="command" label={text.command} hint={text.commandHint} error={errorOf('command')}>
          {(control) => (
            <input
              {...control}
              required
              data-autofocus
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="control font-mono"
              value={command}
              onChange={(event) => setCommand(event.target.value)}
            />
          )}
        </Field>
        <ScheduleField schedule={schedule} error={errorOf('schedule')} onChange={setSchedule} />
        <Field name="timeout_s" label={text.timeout} hint={text.timeoutHint} error={errorOf('timeout_s')}>
          {(control) => (
            <input
              {...control}
              type="number"
              required
              min={10}
              max={21_600}
              step={1}
              inputMode="numeric"
              className="control !w-32"
              value={timeout}
              onChange={(event) => setTimeoutS(event.target.value)}
            />
          )}
        </Field>
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

interface ScheduleFieldProps {
  schedule: string
  error: string | undefined
  onChange: (schedule: string) => void
}

function ScheduleField({ schedule, error, onChange }: ScheduleFieldProps) {
  const parsed = parseSchedule(schedule)
  return (
    <div className="flex flex-col gap-2">
      <Field name="schedule" label={text.schedule} hint={text.scheduleHint} error={error}>
        {(control) => (
          <input
            {...control}
            required
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            className="control font-mono"
            value={schedule}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <p role="status" className={`min-h-5 text-sm ${parsed ? 'font-medium' : 'text-muted'}`}>
        {parsed ? (inWords(parsed) ?? '') : text.notASchedule}
      </p>
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
