import type { Account } from '@reeve/contract/accounts.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../components/dialog.tsx'
import { useMe } from '../lib/access.ts'
import { meQuery } from '../lib/queries.ts'
import { signedInAgain } from '../lib/session-gate.ts'
import { strings } from '../lib/strings.ts'
import { LoginForm } from './login-form.tsx'

/** Stands over the page when the session has ended; what was typed beneath it stays. */
export function SignInDialog() {
  const client = useQueryClient()
  const me = useMe()
  const enter = (account: Account) => {
    // What is on the page belongs to the account that read it.
    if (account.id !== me.id) return location.reload()
    client.setQueryData(meQuery.queryKey, account)
    signedInAgain()
    void client.invalidateQueries()
  }
  return (
    <Dialog title={strings.session.title} insist onClose={() => {}}>
      <div className="flex flex-col gap-4 p-5">
        <p className="text-muted">{strings.session.body}</p>
        <LoginForm email={me.email} onSignedIn={enter} />
      </div>
    </Dialog>
  )
}
