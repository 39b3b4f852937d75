import type { updateSitePhp } from '@reeve/contract/php.ts'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Rejection, Notice, rejection } from '../components/notice.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { announce } from '../components/toasts.tsx'
import { useMe } from '../lib/access.ts'
import { ApiError, type ResponseOf } from '../lib/api.ts'
import { type Capacity, capacityQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { SaveBar, SaveProblem, Theirs } from '../sites/save-bar.tsx'
import { useSite } from '../sites/site-context.ts'
import { useDraft } from '../sites/use-draft.ts'
import { useSaveReason } from '../sites/use-save-reason.ts'
import { useSiteTask } from '../sites/use-site-task.ts'
import { LimitFields, VersionField, WorkerFields } from './php-fields.tsx'
import { bodyOfPhp, type PhpBody, phpFormOf } from './php-form.ts'

const putPhp = (id: string, body: PhpBody) => ({ method: 'PUT', path: `/api/sites/${id}/php`, body }) as const

const labels: Readonly<Record<string, string>> = {
  version: strings.php.version,
  php_version: strings.php.version,
  memory_limit_mb: strings.php.memory,
  max_execution_s: strings.php.time,
  upload_max_mb: strings.php.upload,
  php_workers: strings.php.workers,
}

export function PhpPage() {
  const { data: capacity, error } = useQuery(capacityQuery)
  // What is automatic is known from the budget only; without an answer the form still shows what is in force.
  if (!capacity && !error) return <SkeletonCards cards={2} />
  return <PhpSettings capacity={capacity} />
}

function PhpSettings({ capacity }: { capacity: Capacity | undefined }) {
  const site = useSite()
  const isReadOnly = useMe().role === 'readonly'
  const save = useSiteTask<ResponseOf<typeof updateSitePhp>>(site.id)
  const budget = capacity?.php_workers
  const draft = useDraft(phpFormOf(site, budget), save.isBusy)
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const { form, change, dirty } = draft
  const reason = useSaveReason(site, save.isBusy)
  const rejected: Rejection | undefined = rejection(save.refusal, labels)
  const names = strings.php.fields
  const call = () => putPhp(site.id, bodyOfPhp(form, dirty))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason !== undefined || save.isBusy || dirty.length === 0) return
    const sent = form
    setWarnings([])
    save.start({
      call: call(),
      onDone: (after, answer) => {
        draft.settle(sent, phpFormOf(after, budget))
        setWarnings(answer.warnings)
        announce(strings.saveBar.saved(after.domain))
      },
    })
  }
  const available = save.refusal instanceof ApiError ? save.refusal.details['available'] : undefined
  const part = { form, change, capacity, rejected }
  return (
    <form onSubmit={submit} className="flex flex-col">
      <div className="mb-4 flex flex-col gap-3 empty:hidden">
        {isReadOnly ? <Notice tone="info">{strings.common.readOnlyReason}</Notice> : null}
        <SaveProblem refusal={rejected?.field ? null : save.refusal} failure={save.failure} />
        {warnings.map((warning) => (
          <Notice key={warning} tone="attention">
            {warning}
          </Notice>
        ))}
        <Theirs
          theirs={draft.theirs}
          dirty={dirty}
          names={names}
          onTake={draft.takeTheirs}
          onSeen={draft.dismissTheirs}
        />
      </div>
      <p className="mb-6 max-w-2xl text-muted">{strings.php.effect}</p>
      <fieldset disabled={isReadOnly}>
        <VersionField {...part} available={Array.isArray(available) ? available.map(String) : undefined} />
        <LimitFields {...part} />
        <WorkerFields {...part} />
      </fieldset>
      <SaveBar
        changed={dirty.map((key) => names[key])}
        isBusy={save.isBusy}
        task={save.task}
        reason={reason}
        call={call}
        onDiscard={draft.discard}
      />
    </form>
  )
}
