import type { changePassword } from '@reeve/contract/accounts.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { PasswordField } from '../components/text-field.tsx'
import { announce } from '../components/toasts.tsx'
import { useMe } from '../lib/access.ts'
import { type BodyOf, call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { sessionsQuery } from './queries.ts'
import { StrengthMeter } from './strength-meter.tsx'

type Change = BodyOf<typeof changePassword>

const labels = {
  current_password: strings.account.currentPassword,
  new_password: strings.account.newPassword,
}

const change = (body: Change) => ({ method: 'POST', path: '/api/account/password', body }) as const

export function PasswordSection() {
  const me = useMe()
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const body = { current_password: current, new_password: next }
  const save = useMutation({
    mutationFn: (input: Change) => call(change(input)),
    onSuccess: () => {
      setCurrent('')
      setNext('')
      announce(strings.account.passwordChanged)
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  const rejected = rejection(save.error, labels)
  const errorOf = (field: keyof typeof labels) => (rejected?.field === field ? rejected.message : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(body)
  }
  return (
    <section className="card p-5">
      <LeaveGuard dirty={next !== ''} />
      <h2 className="mb-1 font-semibold">{strings.account.password}</h2>
      <p className="mb-4 text-sm text-muted">{strings.account.passwordText}</p>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {save.error && !rejected?.field ? <ErrorNotice error={save.error} /> : null}
        {/* A password manager needs to know whose password this is. */}
        <input type="hidden" name="username" autoComplete="username" value={me.email} readOnly />
        <PasswordField
          name="current_password"
          label={strings.account.currentPassword}
          error={errorOf('current_password')}
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
        />
        <PasswordField
          name="new_password"
          label={strings.account.newPassword}
          error={errorOf('new_password')}
          hint={<StrengthMeter password={next} />}
          autoComplete="new-password"
          value={next}
          onChange={setNext}
        />
        <div className="flex items-center gap-2">
          <Button type="submit" look="primary" busy={save.isPending}>
            {strings.account.changePassword}
          </Button>
          <CallButton call={() => change(body)} />
        </div>
      </form>
    </section>
  )
}
