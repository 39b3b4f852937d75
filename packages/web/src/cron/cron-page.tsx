import type { CronJob } from '@reeve/contract/cron.ts'
import { useQuery } from '@tanstack/react-query'
import { CalendarClock, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Empty, Problem } from '../components/page.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { useManageReason } from '../lib/access.ts'
import { strings } from '../lib/strings.ts'
import { useSite } from '../sites/site-context.ts'
import { CronJobCard } from './cron-job-card.tsx'
import { DeleteCronJobDialog } from './delete-cron-job-dialog.tsx'
import { NewCronJobDialog } from './new-cron-job-dialog.tsx'
import { cronQuery } from './queries.ts'

const text = strings.cron

type Open = { dialog: 'none' } | { dialog: 'new' } | { dialog: 'delete'; job: CronJob }

export function CronPage() {
  const site = useSite()
  const { data: jobs, error, refetch } = useQuery(cronQuery(site.id))
  const reason = useManageReason()
  const [open, setOpen] = useState<Open>({ dialog: 'none' })
  const close = () => setOpen({ dialog: 'none' })
  if (!jobs)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={3} />
  const add = (
    <Button look="primary" reason={reason} tipSide="end" onClick={() => setOpen({ dialog: 'new' })}>
      <Plus aria-hidden size={16} />
      {text.add}
    </Button>
  )
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-3">
        <p className="min-w-0 flex-1 basis-60 text-muted">{text.lead}</p>
        {jobs.length > 0 ? add : null}
      </div>
      {error ? (
        <div className="mb-4">
          <ErrorNotice error={error} />
        </div>
      ) : null}
      {jobs.length > 0 ? (
        <ul className="flex flex-col gap-3">
          {jobs.map((job) => (
            <CronJobCard
              key={job.id}
              job={job}
              reason={reason}
              onDelete={() => setOpen({ dialog: 'delete', job })}
            />
          ))}
        </ul>
      ) : (
        <Empty
          icon={<CalendarClock aria-hidden size={28} strokeWidth={1.5} />}
          text={
            <>
              {text.empty} {text.emptyHow}
            </>
          }
          action={add}
        />
      )}
      {open.dialog === 'new' ? <NewCronJobDialog siteId={site.id} onClose={close} /> : null}
      {open.dialog === 'delete' ? <DeleteCronJobDialog job={open.job} onClose={close} /> : null}
    </>
  )
}
