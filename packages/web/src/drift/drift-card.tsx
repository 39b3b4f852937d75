import type { DriftItem, resolveDrift } from '@reeve/contract/drift.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton, CopyButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { PathText } from '../components/path-text.tsx'
import { type Health, Status } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { announce } from '../components/toasts.tsx'
import { useAdminReason } from '../lib/access.ts'
import { agentDown } from '../lib/agent-health.ts'
import { type BodyOf, call } from '../lib/api.ts'
import { useStore } from '../lib/store.ts'
import { strings } from '../lib/strings.ts'
import { DiffView } from './diff-view.tsx'

type Action = BodyOf<typeof resolveDrift>['action']

const text = strings.drift

const healths: Record<DriftItem['kind'], Health> = {
  edited: 'attention',
  missing: 'failed',
  stale: 'attention',
  conflict: 'failed',
  unreadable: 'failed',
}

const resolving = (id: string, action: Action) =>
  ({ method: 'POST', path: `/api/system/drift/${id}/resolve`, body: { action } }) as const

export function DriftCard({ item, domain }: { item: DriftItem; domain: string | undefined }) {
  const [asking, setAsking] = useState<Action>()
  const adminReason = useAdminReason()
  const isDown = useStore(agentDown)
  const reason = adminReason ?? (isDown ? strings.common.agentReason : undefined)
  const isGone = item.kind === 'missing' || item.kind === 'unreadable'
  return (
    <li className="card p-5">
      <div className="mb-3 flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h3 className="flex items-center gap-1 font-semibold">
            <span className="min-w-0 font-mono text-sm wrap-anywhere">
              <PathText text={item.path} />
            </span>
            <CopyButton text={item.path} label={strings.common.copy} />
          </h3>
          <p className="text-sm text-muted">
            <Owner siteId={item.site_id} domain={domain} /> · {text.since} <Time at={item.seen_at} />
          </p>
        </div>
        <Status health={healths[item.kind]} word={text.kinds[item.kind]} />
      </div>
      <p className="mb-3 text-sm">{text.kindText[item.kind]}</p>
      {item.diff === '' && isGone ? null : <DiffView diff={item.diff} label={text.diffLabel(item.path)} />}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button reason={reason} onClick={() => setAsking('restore')}>
          {isGone ? text.restoreMissing : text.restore}
        </Button>
        <Button
          reason={reason ?? (isGone ? text.acceptMissing : undefined)}
          onClick={() => setAsking('accept')}
        >
          {text.accept}
        </Button>
      </div>
      {asking ? (
        <ResolveDialog item={item} action={asking} isGone={isGone} onClose={() => setAsking(undefined)} />
      ) : null}
    </li>
  )
}

function Owner({ siteId, domain }: { siteId: string | null; domain: string | undefined }) {
  if (siteId === null) return <>{text.server}</>
  return (
    <Link to="/sites/$id" params={{ id: siteId }} className="link">
      {domain ?? siteId}
    </Link>
  )
}

interface ResolveProps {
  item: DriftItem
  action: Action
  isGone: boolean
  onClose: () => void
}

function ResolveDialog({ item, action, isGone, onClose }: ResolveProps) {
  const client = useQueryClient()
  const isRestore = action === 'restore'
  const resolve = useMutation({
    mutationFn: () => call(resolving(item.id, action)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['drift'] })
      announce(isRestore ? text.restored(item.path) : text.accepted(item.path))
      onClose()
    },
  })
  const restoreYes = isGone ? text.restoreMissingYes : text.restoreYes
  return (
    <Dialog title={isRestore ? text.restoreTitle : text.acceptTitle} onClose={onClose}>
      <div className="flex flex-col gap-5 p-5">
        {resolve.error ? <ErrorNotice error={resolve.error} /> : null}
        <code className="font-mono text-sm wrap-anywhere">
          <PathText text={item.path} />
        </code>
        <p>{isRestore ? text.restoreText : text.acceptText}</p>
        <div className="flex flex-wrap items-center justify-end gap-2">
          <CallButton call={() => resolving(item.id, action)} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button
            look={isRestore ? 'danger' : 'primary'}
            busy={resolve.isPending}
            onClick={() => resolve.mutate()}
          >
            {isRestore ? restoreYes : text.acceptYes}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
