import type { Account } from '@reeve/contract/accounts.ts'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { bootstrapQuery, meQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { EntryCard } from './entry-card.tsx'
import { LoginForm } from './login-form.tsx'
import { localPath } from './local-path.ts'

export function LoginPage() {
  const client = useQueryClient()
  const router = useRouter()
  const { next } = useSearch({ from: '/login' })
  const { data: bootstrap } = useSuspenseQuery(bootstrapQuery)

  useEffect(() => {
    document.title = `${strings.login.title} · ${bootstrap.hostname}`
  }, [bootstrap.hostname])

  const enter = (account: Account) => {
    client.setQueryData(meQuery.queryKey, account)
    router.history.push(localPath(next))
  }
  return (
    <EntryCard
      title={strings.login.title}
      lead={<strong className="font-medium text-ink">{bootstrap.hostname}</strong>}
    >
      <LoginForm onSignedIn={enter} />
    </EntryCard>
  )
}
