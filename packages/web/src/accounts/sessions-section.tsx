import type { Session } from '@reeve/contract/accounts.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { Section } from '../components/page.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { Time } from '../components/time.tsx'
import { announce } from '../components/toasts.tsx'
import { call } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { sessionsQuery } from './queries.ts'
import { describeAgent } from './user-agent.ts'

export function SessionsSection() {
  const { data: sessions, error } = useQuery(sessionsQuery)
  const [ending, setEnding] = useState<Session>()
  return (
    <Section title={strings.account.sessions}>
      <p className="mb-3 text-sm text-muted">{strings.account.sessionsText}</p>
      {error ? <ErrorNotice error={error} /> : null}
      {sessions === undefined && !error ? <SkeletonRows rows={2} /> : null}
      {sessions ? (
        <ul className="card divide-y">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => setEnding(session)} />
          ))}
        </ul>
      ) : null}
      {ending ? <EndSessionDialog session={ending} onClose={() => setEnding(undefined)} /> : null}
    </Section>
  )
}

const nameOf = (session: Session): string => describeAgent(session.user_agent) ?? strings.account.unknownAgent

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const action = session.current ? strings.shell.signOut : strings.account.end
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium" title={session.user_agent ?? undefined}>
          {nameOf(session)}
          {session.current ? (
            <span className="ml-2 rounded-full bg-accent-soft px-2 py-0.5 text-xs font-medium">
              {strings.account.thisDevice}
            </span>
          ) : null}
        </p>
        <p className="text-sm text-muted">
          {strings.account.from} <span className="font-mono text-xs">{session.address}</span>
        </p>
      </div>
      <p className="w-48 text-sm text-muted">
        {strings.account.signedIn} <Time at={session.created_at} />
        <br />
        {strings.account.ends} <Time at={session.expires_at} />
      </p>
      <Button
        className="sm:w-32"
        aria-label={`${action}: ${nameOf(session)}, ${session.address}`}
        onClick={onEnd}
      >
        {action}
      </Button>
    </li>
  )
}

const ending = (session: Session) =>
  ({ method: 'DELETE', path: `/api/account/sessions/${session.id}` }) as const

function EndSessionDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const end = useMutation({
    mutationFn: () => call(ending(session)),
    onSuccess: async () => {
      onClose()
      if (session.current) {
        await navigate({ to: '/login', search: {} })
        client.clear()
        return
      }
      announce(strings.account.ended)
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  return (
    <Dialog
      title={session.current ? strings.account.endThisTitle : strings.account.endTitle}
      onClose={onClose}
    >
      <div className="flex flex-col gap-5 p-5">
        {end.error ? <ErrorNotice error={end.error} /> : null}
        <p>
          {session.current
            ? strings.account.endThisText
            : strings.account.endText(nameOf(session), session.address)}
        </p>
        <div className="flex items-center justify-end gap-2">
          <CallButton call={() => ending(session)} />
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button look="danger" busy={end.isPending} data-autofocus onClick={() => end.mutate()}>
            {session.current ? strings.shell.signOut : strings.account.end}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
