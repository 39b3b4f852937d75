import type { updateSiteConfig } from '@reeve/contract/site-config.ts'
import { type FormEvent, useMemo } from 'react'
import { Notice } from '../components/notice.tsx'
import { useMe } from '../lib/access.ts'
import type { ResponseOf } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { announce } from '../components/toasts.tsx'
import { refusalsOf } from './config-errors.ts'
import {
  AddressFields,
  CacheFields,
  ProtectionFields,
  RedirectFields,
  SnippetFields,
} from './config-fields.tsx'
import { bodyOfConfig, type ConfigBody, configFormOf } from './config-form.ts'
import { SaveBar, SaveProblem, Theirs } from './save-bar.tsx'
import { useSite } from './site-context.ts'
import { hasPageCache } from './tabs.ts'
import { useDraft } from './use-draft.ts'
import { useSaveReason } from './use-save-reason.ts'
import { useSiteTask } from './use-site-task.ts'

const putConfig = (id: string, body: ConfigBody) =>
  ({ method: 'PUT', path: `/api/sites/${id}/config`, body }) as const

export function ConfigPage() {
  const site = useSite()
  const me = useMe()
  const isReadOnly = me.role === 'readonly'
  const save = useSiteTask<ResponseOf<typeof updateSiteConfig>>(site.id)
  const draft = useDraft(configFormOf(site), save.isBusy)
  const { form, change, dirty } = draft
  const refusals = useMemo(() => refusalsOf(save.refusal), [save.refusal])
  const reason = useSaveReason(site, save.isBusy)
  const names = strings.config.fields
  const call = () => putConfig(site.id, bodyOfConfig(form, dirty))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason !== undefined || save.isBusy || dirty.length === 0) return
    const sent = form
    save.start({
      call: call(),
      onDone: (after) => {
        draft.settle(sent, configFormOf(after))
        announce(strings.saveBar.saved(after.domain))
      },
    })
  }
  const part = { site, form, change, refusals: refusals ?? {} }
  return (
    <form onSubmit={submit} className="flex flex-col">
      <div className="mb-4 flex flex-col gap-3 empty:hidden">
        {isReadOnly ? <Notice tone="info">{strings.common.readOnlyReason}</Notice> : null}
        <SaveProblem refusal={refusals ? null : save.refusal} failure={save.failure} />
        <Theirs
          theirs={draft.theirs}
          dirty={dirty}
          names={names}
          onTake={draft.takeTheirs}
          onSeen={draft.dismissTheirs}
        />
      </div>
      <fieldset
        disabled={isReadOnly}
        className="[&>section:first-child]:border-t-0 [&>section:first-child]:pt-0"
      >
        <AddressFields {...part} />
        <RedirectFields {...part} isReadOnly={isReadOnly} />
        {hasPageCache(site.type) ? <CacheFields {...part} /> : null}
        <ProtectionFields {...part} />
        {me.role === 'admin' ? <SnippetFields {...part} /> : null}
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
