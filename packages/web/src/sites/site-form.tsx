// A form over what a site is: it follows the server until something is typed, and saving it is a task.
import type { Site } from '@reeve/contract/sites.ts'
import type { Accepted } from '@reeve/contract/tasks.ts'
import type { FormEvent, ReactNode } from 'react'
import { Notice } from '../components/notice.tsx'
import { announce } from '../components/toasts.tsx'
import { useMe } from '../lib/access.ts'
import type { ApiCall } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { SaveBar, SaveProblem, Theirs } from './save-bar.tsx'
import { type FormDraft, useDraft } from './use-draft.ts'
import { useSaveReason } from './use-save-reason.ts'
import { type SiteTaskRun, useSiteTask } from './use-site-task.ts'

interface SiteFormOptions<Form> {
  site: Site
  formOf: (site: Site) => Form
  callOf: (form: Form, dirty: readonly (keyof Form)[]) => ApiCall
}

export interface SiteFormState<Form, Answer> {
  draft: FormDraft<Form>
  save: SiteTaskRun<Answer>
  /** Why nothing can be saved now. */
  reason: string | undefined
  call: () => ApiCall
  submit: (event: FormEvent) => void
}

export function useSiteForm<Form extends object, Answer extends Accepted>({
  site,
  formOf,
  callOf,
}: SiteFormOptions<Form>): SiteFormState<Form, Answer> {
  const save = useSiteTask<Answer>(site.id)
  const draft = useDraft(formOf(site), save.isBusy)
  const reason = useSaveReason(site, save.isBusy)
  const call = () => callOf(draft.form, draft.dirty)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason !== undefined || save.isBusy || draft.dirty.length === 0) return
    const sent = draft.form
    save.start({
      call: call(),
      onDone: (after) => {
        draft.settle(sent, formOf(after))
        announce(strings.saveBar.saved(after.domain))
      },
    })
  }
  return { draft, save, reason, call, submit }
}

interface SiteFormProps<Form extends object, Answer> {
  state: SiteFormState<Form, Answer>
  /** The fields as people name them. */
  names: Readonly<Record<keyof Form, string>>
  /** Why the server refused, unless that stands at a field. */
  refusal: Error | null
  /** What the server remarked when it took the last change. */
  warnings?: readonly string[] | undefined
  children: ReactNode
}

export function SiteForm<Form extends object, Answer>(props: SiteFormProps<Form, Answer>) {
  const { state, names, refusal, warnings = [], children } = props
  const { draft, save, reason, call, submit } = state
  const isReadOnly = useMe().role === 'readonly'
  return (
    <form onSubmit={submit} className="flex flex-col">
      <div className="mb-4 flex flex-col gap-3 empty:hidden">
        {isReadOnly ? <Notice tone="info">{strings.common.readOnlyReason}</Notice> : null}
        <SaveProblem refusal={refusal} failure={save.failure} />
        {warnings.map((warning) => (
          <Notice key={warning} tone="attention">
            {warning}
          </Notice>
        ))}
        <Theirs
          theirs={draft.theirs}
          dirty={draft.dirty}
          names={names}
          onTake={draft.takeTheirs}
          onSeen={draft.dismissTheirs}
        />
      </div>
      <fieldset
        disabled={isReadOnly}
        className="[&>section:first-child]:border-t-0 [&>section:first-child]:pt-0"
      >
        {children}
      </fieldset>
      <SaveBar
        changed={draft.dirty.map((key) => names[key])}
        isBusy={save.isBusy}
        task={save.task}
        reason={reason}
        call={call}
        onDiscard={draft.discard}
      />
    </form>
  )
}
