import type { Account, createUser, updateUser } from '@reeve/contract/accounts.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { GeneratedPassword } from '../components/generated-password.tsx'
import { TextField } from '../components/text-field.tsx'
import { announce } from '../components/toasts.tsx'
import { type BodyOf, call } from '../lib/api.ts'
import { generatePassword } from '../lib/password.ts'
import { strings } from '../lib/strings.ts'
import { usersQuery } from './queries.ts'
import { type RoleChoice, RoleFields, roleBody } from './role-fields.tsx'

type NewUser = BodyOf<typeof createUser>
type UserChange = BodyOf<typeof updateUser>

const labels = {
  email: strings.login.email,
  password: strings.login.password,
  site_ids: strings.users.sites,
}

const creation = (body: NewUser) => ({ method: 'POST', path: '/api/users', body }) as const
const change = (id: string, body: UserChange) => ({ method: 'PUT', path: `/api/users/${id}`, body }) as const

export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState(() => generatePassword())
  const [choice, setChoice] = useState<RoleChoice>({ role: 'operator', siteIds: [] })
  const body: NewUser = { email: email.trim(), password, ...roleBody(choice) }
  const create = useMutation({
    mutationFn: (input: NewUser) => call<Account>(creation(input)),
    onSuccess: async (account) => {
      await client.invalidateQueries({ queryKey: usersQuery.queryKey })
      announce(strings.users.created(account.email))
      onClose()
    },
  })
  const rejected = rejection(create.error, labels)
  const errorOf = (field: string) => (rejected?.field === field ? rejected.message : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate(body)
  }
  return (
    <Dialog title={strings.users.newTitle} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-5 p-5">
        {create.error && !rejected?.field ? <ErrorNotice error={create.error} /> : null}
        <TextField
          name="email"
          label={strings.login.email}
          error={errorOf('email')}
          type="email"
          data-autofocus
          autoComplete="off"
          value={email}
          onChange={setEmail}
        />
        <GeneratedPassword
          name="password"
          label={strings.login.password}
          hint={strings.users.passwordHint}
          error={errorOf('password')}
          value={password}
          onChange={setPassword}
        />
        <RoleFields choice={choice} onChange={setChoice} error={errorOf('site_ids')} />
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => creation(body)} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" look="primary" busy={create.isPending}>
            {strings.users.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function EditUserDialog({ user, onClose }: { user: Account; onClose: () => void }) {
  const client = useQueryClient()
  // Taken once: a newer list must not undo what is being chosen.
  const [choice, setChoice] = useState<RoleChoice>({ role: user.role, siteIds: user.site_ids })
  const save = useMutation({
    mutationFn: (body: UserChange) => call<Account>(change(user.id, body)),
    onSuccess: async () => {
      await client.invalidateQueries()
      announce(strings.users.changed(user.email))
      onClose()
    },
  })
  const rejected = rejection(save.error, { site_ids: strings.users.sites })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(roleBody(choice))
  }
  return (
    <Dialog title={strings.users.editTitle(user.email)} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-5 p-5">
        {save.error && !rejected?.field ? <ErrorNotice error={save.error} /> : null}
        <RoleFields
          choice={choice}
          onChange={setChoice}
          error={rejected?.field ? rejected.message : undefined}
        />
        <p className="text-xs text-muted">{strings.users.takesEffect}</p>
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => change(user.id, roleBody(choice))} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {strings.users.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
