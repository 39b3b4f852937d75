import { Field } from '../components/field.tsx'
import { Notice, type Rejection } from '../components/notice.tsx'
import { NumberField } from '../components/text-field.tsx'
import { megabytes } from '../lib/format.ts'
import type { Capacity } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { FormSection } from '../sites/form-section.tsx'
import { AvailableVersions } from './available-versions.tsx'
import type { PhpForm } from './php-form.ts'

interface PhpPart {
  form: PhpForm
  change: (part: Partial<PhpForm>) => void
  capacity: Capacity | undefined
  rejected: Rejection | undefined
}

const text = strings.php

const messageAt = (rejected: Rejection | undefined, ...fields: string[]): string | undefined =>
  rejected?.field !== undefined && fields.includes(rejected.field) ? rejected.message : undefined

export function VersionField({
  form,
  change,
  capacity,
  rejected,
  available,
}: PhpPart & { available: string[] | undefined }) {
  const installed = capacity?.php_versions ?? []
  return (
    <FormSection title={text.version}>
      <Field name="version" label={text.version} error={messageAt(rejected, 'version', 'php_version')}>
        {(control) => (
          <select
            {...control}
            className="control !w-auto min-w-40"
            value={form.version}
            onChange={(event) => change({ version: event.target.value })}
          >
            {installed.includes(form.version) ? null : (
              <option value={form.version}>{capacity ? text.versionGone(form.version) : form.version}</option>
            )}
            {installed.map((version) => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </select>
        )}
      </Field>
      <AvailableVersions versions={available} onChoose={(version) => change({ version })} />
    </FormSection>
  )
}

const limits = [
  { key: 'memory', field: 'memory_limit_mb', label: text.memory, hint: text.memoryHint, min: 32, max: 4096 },
  { key: 'time', field: 'max_execution_s', label: text.time, hint: text.timeHint, min: 5, max: 3600 },
  { key: 'upload', field: 'upload_max_mb', label: text.upload, hint: text.uploadHint, min: 1, max: 2048 },
] as const

export function LimitFields({ form, change, rejected }: PhpPart) {
  return (
    <FormSection title={text.limits}>
      <div className="grid gap-4 sm:grid-cols-3">
        {limits.map(({ key, field, label, hint, min, max }) => (
          <NumberField
            key={key}
            name={field}
            {...{ label, hint, min, max }}
            error={messageAt(rejected, field)}
            value={form[key]}
            onChange={(typed) => change({ [key]: typed })}
          />
        ))}
      </div>
    </FormSection>
  )
}

export function WorkerFields({ form, change, capacity, rejected }: PhpPart) {
  const { workers } = form
  const budget = capacity?.php_workers
  const isRaised = !workers.automatic && budget !== undefined && Number(workers.count) > budget
  const choose = (automatic: boolean) => change({ workers: { ...workers, automatic } })
  const choice = 'pointer-coarse:min-h-11 flex min-h-8 items-center gap-2.5'
  return (
    <FormSection title={text.workers} hint={text.workersLead}>
      <div role="radiogroup" aria-label={text.workers} className="flex flex-col">
        <label className={choice}>
          <input
            type="radio"
            name="workers"
            className="tick"
            checked={workers.automatic}
            onChange={() => choose(true)}
          />
          {text.automatic(budget ?? Number(workers.count))}
        </label>
        <label className={choice}>
          <input
            type="radio"
            name="workers"
            className="tick"
            checked={!workers.automatic}
            onChange={() => choose(false)}
          />
          {text.own}
        </label>
      </div>
      {workers.automatic ? null : (
        <NumberField
          name="php_workers"
          label={text.count}
          hint={capacity ? text.budget(capacity.php_workers, megabytes(capacity.memory_mb)) : undefined}
          error={messageAt(rejected, 'php_workers')}
          min={1}
          max={200}
          className="!w-32"
          value={workers.count}
          onChange={(count) => change({ workers: { ...workers, count } })}
        />
      )}
      {isRaised ? <Notice tone="attention">{strings.newSite.phpWorkersWarning}</Notice> : null}
    </FormSection>
  )
}
