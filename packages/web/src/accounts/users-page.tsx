import type { Account } from '@reeve/contract/accounts.ts'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Page, Problem } from '../components/page.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { Status } from '../components/status.tsx'
import { useAdminReason, useMe } from '../lib/access.ts'
import { isForbidden } from '../lib/api.ts'
import { dayOf, exactTime } from '../lib/format.ts'
import { sitesQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { usersQuery } from './queries.ts'
import { EditUserDialog, NewUserDialog } from './user-dialogs.tsx'

type Open = { dialog: 'none' } | { dialog: 'new' } | { dialog: 'edit' | 'delete'; user: Account }

export function UsersPage() {
  const { data: users, error, refetch } = useQuery(usersQuery)
  const reason = useAdminReason()
  const [open, setOpen] = useState<Open>({ dialog: 'none' })
  const close = () => setOpen({ dialog: 'none' })
  if (error && (!users || isForbidden(error))) return <Problem error={error} onRetry={() => void refetch()} />
  const admins = users?.filter((user) => user.role === 'admin').length ?? 0
  return (
    <Page
      title={strings.users.title}
      lead={strings.users.lead}
      actions={
        <Button look="primary" reason={reason} tipSide="end" onClick={() => setOpen({ dialog: 'new' })}>
          <Plus aria-hidden size={16} />
          {strings.users.create}
        </Button>
      }
    >
      {users ? (
        <ul className="card divide-y">
          {users.map((user) => (
            <UserRow
              key={user.id}
              user={user}
              isLastAdmin={user.role === 'admin' && admins === 1}
              onOpen={setOpen}
            />
          ))}
        </ul>
      ) : (
        <SkeletonRows rows={3} />
      )}
      {open.dialog === 'new' ? <NewUserDialog onClose={close} /> : null}
      {open.dialog === 'edit' ? <EditUserDialog user={open.user} onClose={close} /> : null}
      {open.dialog === 'delete' ? <DeleteUserDialog user={open.user} onClose={close} /> : null}
    </Page>
  )
}

interface UserRowProps {
  user: Account
  isLastAdmin: boolean
  onOpen: (open: Open) => void
}

function UserRow({ user, isLastAdmin, onOpen }: UserRowProps) {
  const me = useMe()
  const adminReason = useAdminReason()
  const reason = adminReason ?? (isLastAdmin ? strings.users.lastAdmin : undefined)
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium wrap-anywhere">
          {user.email}
          {user.id === me.id ? <span className="font-normal text-muted"> · {strings.users.you}</span> : null}
        </p>
        <UserSites user={user} />
      </div>
      <div className="w-40 text-sm">
        <p className="font-medium">{strings.shell.roles[user.role]}</p>
        <p className="text-muted">
          <time dateTime={user.created_at} title={exactTime(user.created_at)}>
            {strings.users.since(dayOf(user.created_at))}
          </time>
        </p>
      </div>
      <div className="w-32 text-sm">
        <Status
          health={user.two_factor ? 'healthy' : 'off'}
          word={user.two_factor ? strings.users.twoFactorOn : strings.users.twoFactorOff}
        />
      </div>
      <div className="flex gap-1">
        <Button
          look="quiet"
          icon
          reason={reason}
          tipSide="end"
          aria-label={`${strings.users.edit}: ${user.email}`}
          onClick={() => onOpen({ dialog: 'edit', user })}
        >
          <Pencil aria-hidden size={15} />
        </Button>
        <Button
          look="quiet"
          icon
          reason={reason}
          tipSide="end"
          aria-label={`${strings.users.delete}: ${user.email}`}
          onClick={() => onOpen({ dialog: 'delete', user })}
        >
          <Trash2 aria-hidden size={15} />
        </Button>
      </div>
    </li>
  )
}

function UserSites({ user }: { user: Account }) {
  const { data: sites = [] } = useQuery(sitesQuery)
  if (user.role !== 'operator') return <p className="text-sm text-muted">{strings.users.allSites}</p>
  const domains = user.site_ids.map((id) => sites.find((site) => site.id === id)?.domain ?? id)
  return (
    <p className="text-sm wrap-anywhere text-muted">
      {domains.length === 0 ? strings.users.noSites : domains.join(', ')}
    </p>
  )
}
