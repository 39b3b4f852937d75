import type { Account } from '@reeve/contract/accounts.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { PasswordField, TextField } from '../components/text-field.tsx'
import { ApiError, call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'

interface Credentials {
  email: string
  password: string
  totp?: string
}

interface LoginFormProps {
  email?: string
  onSignedIn: (account: Account) => void
}

const asksForCode = (error: unknown): boolean =>
  error instanceof ApiError && error.details['totp_required'] === true

/** E-mail and password, then the second step when the account has one. */
export function LoginForm({ email: knownEmail = '', onSignedIn }: LoginFormProps) {
  const [email, setEmail] = useState(knownEmail)
  const [password, setPassword] = useState('')
  const [secondStep, setSecondStep] = useState(false)
  const login = useMutation({
    mutationFn: (body: Credentials) =>
      call<Account>({ method: 'POST', path: '/api/login', body }, { anonymous: true }),
    onSuccess: onSignedIn,
    onError: (error) => {
      if (asksForCode(error)) setSecondStep(true)
    },
  })
  const error = asksForCode(login.error) && !login.variables?.totp ? null : login.error

  if (secondStep) {
    return (
      <CodeForm
        error={error}
        busy={login.isPending}
        onCode={(totp) => login.mutate({ email, password, totp })}
        onBack={() => {
          login.reset()
          setSecondStep(false)
        }}
      />
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!login.isPending) login.mutate({ email, password })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {error ? <ErrorNotice error={error} /> : null}
      <TextField
        name="email"
        label={strings.login.email}
        type="email"
        autoComplete="username"
        autoFocus={knownEmail === ''}
        value={email}
        onChange={setEmail}
      />
      <PasswordField
        name="password"
        label={strings.login.password}
        autoComplete="current-password"
        autoFocus={knownEmail !== ''}
        data-autofocus={knownEmail !== '' || undefined}
        value={password}
        onChange={setPassword}
      />
      <Button type="submit" look="primary" className="w-full" busy={login.isPending}>
        {strings.login.submit}
      </Button>
    </form>
  )
}

interface CodeFormProps {
  error: unknown
  busy: boolean
  onCode: (code: string) => void
  onBack: () => void
}

function CodeForm({ error, busy, onCode, onBack }: CodeFormProps) {
  const [code, setCode] = useState('')
  const change = (text: string) => {
    const next = text.trimStart()
    setCode(next)
    const digits = next.replaceAll(' ', '')
    // Six digits are complete: typing, pasting and the phone's suggestion all end here.
    if (/^[0-9]{6}$/.test(digits) && !busy) onCode(digits)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) onCode(code.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {error ? <ErrorNotice error={error} /> : null}
      <TextField
        name="totp"
        label={strings.login.code}
        hint={strings.login.codeHint}
        autoComplete="one-time-code"
        spellCheck={false}
        autoCapitalize="off"
        autoFocus
        className="text-center font-mono text-lg tracking-[0.2em]"
        value={code}
        onChange={change}
      />
      <Button type="submit" look="primary" className="w-full" busy={busy}>
        {strings.login.codeSubmit}
      </Button>
      <Button look="quiet" onClick={onBack}>
        {strings.login.codeBack}
      </Button>
    </form>
  )
}
