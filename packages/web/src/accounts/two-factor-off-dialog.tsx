import type { disableTwoFactor } from '@reeve/contract/accounts.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { PasswordField } from '../components/text-field.tsx'
import { type BodyOf, call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'

type Body = BodyOf<typeof disableTwoFactor>

const disabling = (body: Body) => ({ method: 'POST', path: '/api/account/2fa/disable', body }) as const

export function TwoFactorOffDialog({ onClose, onOff }: { onClose: () => void; onOff: () => void }) {
  const [password, setPassword] = useState('')
  const disable = useMutation({ mutationFn: (body: Body) => call(disabling(body)), onSuccess: onOff })
  const rejected = rejection(disable.error, { password: strings.account.currentPassword })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!disable.isPending) disable.mutate({ password })
  }
  return (
    <Dialog title={strings.account.turnOffTitle} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-5 p-5">
        {disable.error && !rejected?.field ? <ErrorNotice error={disable.error} /> : null}
        <p>{strings.account.turnOffText}</p>
        <PasswordField
          name="password"
          label={strings.account.currentPassword}
          error={rejected?.field ? rejected.message : undefined}
          data-autofocus
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => disabling({ password })} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" look="danger" busy={disable.isPending}>
            {strings.account.turnOff}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
