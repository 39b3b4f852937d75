import type { completeSetup } from '@reeve/contract/accounts.ts'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { PasswordField, TextField } from '../components/text-field.tsx'
import { verbatim } from '../components/verbatim.ts'
import { type BodyOf, call, type ResponseOf } from '../lib/api.ts'
import { bootstrapQuery, meQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { EntryCard } from './entry-card.tsx'
import { StrengthMeter } from './strength-meter.tsx'
import { tokenFromFragment } from './setup-token.ts'

type Setup = BodyOf<typeof completeSetup>

async function setUp(body: Setup): Promise<ResponseOf<typeof completeSetup>> {
  await call({ method: 'POST', path: '/api/setup', body }, { anonymous: true })
  const { email, password } = body
  return call({ method: 'POST', path: '/api/login', body: { email, password } }, { anonymous: true })
}

const labels = {
  token: strings.setup.token,
  email: strings.setup.email,
  password: strings.setup.password,
}

/** The token of the link that led here, then of any followed while the page is open. */
function useSetupToken() {
  const [fromLink, setFromLink] = useState(() => tokenFromFragment(location.hash))
  const [token, setToken] = useState(fromLink)
  useEffect(() => {
    const take = (): void => {
      const found = tokenFromFragment(location.hash)
      if (found === '') return
      setFromLink(found)
      setToken(found)
      // The token must not stay in the address bar, the history or a screenshot.
      history.replaceState(history.state, '', location.pathname)
    }
    take()
    // Following the link while this page is open does not load it again.
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [])
  return { token, setToken, isFromLink: fromLink !== '' }
}

function useSetUp() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: setUp,
    onSuccess: async (account) => {
      client.setQueryData(bootstrapQuery.queryKey, (old) => old && { ...old, setup_complete: true })
      client.setQueryData(meQuery.queryKey, account)
      await navigate({ to: '/', replace: true })
    },
  })
}

export function SetupPage() {
  const { data: bootstrap } = useSuspenseQuery(bootstrapQuery)
  const { token, setToken, isFromLink } = useSetupToken()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [repeat, setRepeat] = useState('')
  const [mismatch, setMismatch] = useState(false)
  const setup = useSetUp()

  useEffect(() => {
    document.title = `${strings.setup.title} · ${bootstrap.hostname}`
  }, [bootstrap.hostname])

  const rejected = rejection(setup.error, labels)
  const errorOf = (field: keyof typeof labels) => (rejected?.field === field ? rejected.message : undefined)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMismatch(password !== repeat)
    if (password === repeat && !setup.isPending) setup.mutate({ token: token.trim(), email, password })
  }
  return (
    <EntryCard title={strings.setup.title} lead={strings.setup.lead(bootstrap.hostname)}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {setup.error && !rejected?.field ? <ErrorNotice error={setup.error} /> : null}
        <TextField
          {...verbatim}
          name="token"
          label={strings.setup.token}
          error={errorOf('token')}
          hint={isFromLink ? strings.setup.tokenFromLink : strings.setup.tokenHint}
          autoFocus={!isFromLink}
          className="font-mono"
          value={token}
          onChange={setToken}
        />
        <TextField
          name="email"
          label={strings.setup.email}
          error={errorOf('email')}
          hint={strings.setup.emailHint}
          type="email"
          autoComplete="username"
          autoFocus={isFromLink}
          value={email}
          onChange={setEmail}
        />
        <PasswordField
          name="password"
          label={strings.setup.password}
          error={errorOf('password')}
          hint={<StrengthMeter password={password} />}
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
        />
        <PasswordField
          name="repeat"
          label={strings.setup.repeat}
          error={mismatch ? strings.setup.mismatch : undefined}
          autoComplete="new-password"
          value={repeat}
          onChange={(text) => {
            setRepeat(text)
            setMismatch(false)
          }}
        />
        <Button type="submit" look="primary" className="w-full" busy={setup.isPending}>
          {strings.setup.submit}
        </Button>
        <p className="text-xs text-muted">{strings.setup.rights}</p>
      </form>
    </EntryCard>
  )
}
