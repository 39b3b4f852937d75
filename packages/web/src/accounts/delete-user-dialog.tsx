import type { Account } from '@reeve/contract/accounts.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { announce } from '../components/toasts.tsx'
import { useMe } from '../lib/access.ts'
import { call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { usersQuery } from './queries.ts'

const deletion = (user: Account) => ({ method: 'DELETE', path: `/api/users/${user.id}` }) as const

export function DeleteUserDialog({ user, onClose }: { user: Account; onClose: () => void }) {
  const me = useMe()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call(deletion(user)),
    onSuccess: async () => {
      onClose()
      // One's own account takes the session with it; the page is of no use any more.
      if (user.id === me.id) return location.assign('/login')
      announce(strings.users.deleted(user.email))
      await client.invalidateQueries({ queryKey: usersQuery.queryKey })
    },
  })
  return (
    <Dialog title={strings.users.deleteTitle(user.email)} onClose={onClose}>
      <div className="flex flex-col gap-5 p-5">
        {remove.error ? <ErrorNotice error={remove.error} /> : null}
        <p>{user.id === me.id ? strings.users.deleteSelf : strings.users.deleteText}</p>
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => deletion(user)} />
          <Button data-autofocus onClick={onClose}>
            {strings.common.cancel}
          </Button>
          <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            {strings.users.delete}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
