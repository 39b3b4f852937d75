import type { CronJob } from '@reeve/contract/cron.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { announce } from '../components/toasts.tsx'
import { useManageReason } from '../lib/access.ts'
import { call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'

const text = strings.cron

const deletion = (id: string) => ({ method: 'DELETE', path: `/api/cron/${id}` }) as const

export function DeleteCronJobDialog({ job, onClose }: { job: CronJob; onClose: () => void }) {
  const client = useQueryClient()
  const reason = useManageReason()
  const remove = useMutation({
    mutationFn: () => call(deletion(job.id)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sites', job.site_id, 'cron'] })
      announce(text.deleted)
      onClose()
    },
  })
  return (
    <Dialog title={text.deleteTitle} onClose={onClose}>
      <div className="flex flex-col gap-5 p-5">
        {remove.error ? <ErrorNotice error={remove.error} /> : null}
        <code className="rounded-lg border bg-log px-3 py-2 font-mono text-xs wrap-anywhere">
          {job.command}
        </code>
        <p>{text.deleteText}</p>
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => deletion(job.id)} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button
            look="danger"
            busy={remove.isPending}
            reason={reason}
            tipSide="end"
            onClick={() => remove.mutate()}
          >
            {text.delete}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
