import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Field } from '../components/field.tsx'
import { Notice } from '../components/notice.tsx'
import { LinesField, NumberField, TextField } from '../components/text-field.tsx'
import { megabytes } from '../lib/format.ts'
import type { Capacity } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { AvailableVersions } from '../php/available-versions.tsx'
import type { FieldErrors, FormPart } from './new-site-fields.tsx'
import { hasObjectCache } from './new-site-form.ts'
import { isCms, usesPhp } from './type-facts.ts'

interface AdvancedProps extends FormPart {
  errors: FieldErrors
  capacity: Capacity | undefined
  /** PHP versions the server named when it refused the chosen one. */
  available: string[] | undefined
  /** A message stands on a field in here. */
  forceOpen: boolean
}

export function AdvancedFields(props: AdvancedProps) {
  const { form, change, errors, forceOpen } = props
  const [open, setOpen] = useState(false)
  return (
    <details
      className="card group"
      open={open || forceOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="pointer-coarse:min-h-11 flex min-h-10 list-none items-center gap-2 px-4 py-2 select-none">
        <ChevronRight
          aria-hidden
          size={15}
          className="flex-none text-muted transition-transform duration-100 group-open:rotate-90"
        />
        <span className="font-medium">{strings.newSite.advanced}</span>
        <span className="truncate text-sm text-muted max-sm:hidden">{strings.newSite.advancedHint}</span>
      </summary>
      <div className="grid gap-4 border-t p-4 sm:grid-cols-2">
        {isCms(form.type) ? (
          <TextField
            name="title"
            label={strings.newSite.siteTitle}
            hint={strings.newSite.siteTitleHint}
            error={errors['title']}
            optional
            maxLength={200}
            value={form.title}
            onChange={(title) => change({ title })}
          />
        ) : null}
        <LinesField
          name="aliases"
          label={strings.newSite.aliases}
          hint={strings.newSite.aliasesHint}
          error={errors['aliases']}
          optional
          rows={2}
          value={form.aliases}
          onChange={(aliases) => change({ aliases })}
        />
        {usesPhp(form.type) ? <PhpFields {...props} /> : null}
      </div>
    </details>
  )
}

function PhpFields({ form, change, errors, capacity, available }: AdvancedProps) {
  const raised = capacity !== undefined && Number(form.phpWorkers) > capacity.php_workers
  return (
    <>
      <div className="min-w-0">
        <Field name="php_version" label={strings.newSite.phpVersion} error={errors['php_version']}>
          {(control) => (
            <select
              {...control}
              className="control"
              value={form.phpVersion}
              onChange={(event) => change({ phpVersion: event.target.value })}
            >
              <option value="">{strings.newSite.phpDefault(capacity?.default_php_version ?? '…')}</option>
              {capacity?.php_versions.map((version) => (
                <option key={version} value={version}>
                  {version}
                </option>
              ))}
            </select>
          )}
        </Field>
        <AvailableVersions versions={available} onChoose={(phpVersion) => change({ phpVersion })} />
      </div>
      <NumberField
        name="php_workers"
        label={strings.newSite.phpWorkers}
        optional
        error={errors['php_workers']}
        hint={
          capacity
            ? strings.newSite.phpWorkersHint(capacity.php_workers, megabytes(capacity.memory_mb))
            : undefined
        }
        min={1}
        max={200}
        placeholder={capacity ? String(capacity.php_workers) : undefined}
        value={form.phpWorkers}
        onChange={(phpWorkers) => change({ phpWorkers })}
      />
      {raised ? (
        <div className="sm:col-span-2">
          <Notice tone="attention">{strings.newSite.phpWorkersWarning}</Notice>
        </div>
      ) : null}
      <label className="pointer-coarse:min-h-11 flex items-start gap-2.5 sm:col-span-2">
        <input
          type="checkbox"
          className="tick mt-0.5"
          checked={hasObjectCache(form)}
          onChange={(event) => change({ objectCache: event.target.checked })}
        />
        <span>
          <span className="block font-medium">{strings.newSite.objectCache}</span>
          <span className="block text-xs text-muted">{strings.newSite.objectCacheHint}</span>
        </span>
      </label>
    </>
  )
}
