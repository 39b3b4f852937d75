import type { deleteSite, Site } from '@reeve/contract/sites.ts'
import type { listTasks } from '@reeve/contract/tasks.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { verbatim } from '../components/verbatim.ts'
import { useManageReason } from '../lib/access.ts'
import { call, type ResponseOf } from '../lib/api.ts'
import { mergeTask } from '../lib/events.ts'
import { strings } from '../lib/strings.ts'
import { usesPhp } from './type-facts.ts'

const deletion = (site: Site) => ({ method: 'DELETE', path: `/api/sites/${site.id}` }) as const

export function DeleteSiteDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const client = useQueryClient()
  const reason = useManageReason()
  const [typed, setTyped] = useState('')
  const [mismatch, setMismatch] = useState(false)
  const remove = useMutation({
    mutationFn: () => call<ResponseOf<typeof deleteSite>>(deletion(site)),
    onSuccess: ({ task }) => {
      client.setQueryData<Site>(
        ['sites', site.id],
        (old) => old && { ...old, state: 'deleting', task_id: task.id },
      )
      client.setQueryData<ResponseOf<typeof listTasks>>(
        ['tasks'],
        (old) => old && { tasks: mergeTask(old.tasks, task) },
      )
      void client.invalidateQueries({ queryKey: ['sites'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const matches = typed.trim().toLowerCase() === site.domain
    setMismatch(!matches)
    if (matches && reason === undefined && !remove.isPending) remove.mutate()
  }
  return (
    <Dialog title={strings.deleteSite.title(site.domain)} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-5 p-5">
        {remove.error ? <ErrorNotice error={remove.error} /> : null}
        <Consequences site={site} />
        <TextField
          {...verbatim}
          name="confirm"
          label={strings.deleteSite.confirm(site.domain)}
          error={mismatch ? strings.deleteSite.mismatch : undefined}
          data-autofocus
          value={typed}
          onChange={(text) => {
            setTyped(text)
            setMismatch(false)
          }}
        />
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => deletion(site)} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" look="danger" busy={remove.isPending} reason={reason} tipSide="end">
            {strings.deleteSite.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Consequences({ site }: { site: Site }) {
  const text = strings.deleteSite
  const goes = [
    text.files(site.domain),
    ...(usesPhp(site.type) ? [text.database] : []),
    text.certificate,
    text.logs(site.domain),
    text.user,
  ]
  return (
    <div className="flex flex-col gap-4">
      <List
        title={text.goes}
        items={goes}
        icon={<X aria-hidden size={14} className="mt-0.5 flex-none text-failed" />}
      />
      <List
        title={text.stays}
        items={[text.backups, text.audit]}
        icon={<Check aria-hidden size={14} className="mt-0.5 flex-none text-healthy" />}
      />
    </div>
  )
}

function List({ title, items, icon }: { title: string; items: readonly string[]; icon: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 text-sm font-semibold">{title}</h3>
      <ul className="flex flex-col gap-1 text-sm">
        {items.map((item) => (
          <li key={item} className="flex gap-2">
            {icon}
            <span className="min-w-0 wrap-anywhere">{item}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
