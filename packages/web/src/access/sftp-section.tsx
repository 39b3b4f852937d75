import type { SftpState, setSftp } from '@reeve/contract/access.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton, CopyButton } from '../components/copy.tsx'
import { InlineConfirm } from '../components/inline-confirm.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { Status } from '../components/status.tsx'
import { announce } from '../components/toasts.tsx'
import { useManageReason } from '../lib/access.ts'
import { type ApiCall, type BodyOf, call, type ResponseOf } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { OncePassword } from './once-password.tsx'
import { sftpQuery } from './queries.ts'

type Change = BodyOf<typeof setSftp>

const text = strings.access

const setting = (siteId: string, body: Change) =>
  ({ method: 'POST', path: `/api/sites/${siteId}/sftp`, body }) as const

interface Set {
  change: Change
  done?: string
}

function useSetSftp(siteId: string, onPassword: (password: string | null) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ change }: Set) => call<ResponseOf<typeof setSftp>>(setting(siteId, change)),
    onSuccess: ({ password, ...state }, { done }) => {
      client.setQueryData<SftpState>(sftpQuery(siteId).queryKey, state)
      void client.invalidateQueries({ queryKey: ['sites', siteId, 'access'] })
      onPassword(password)
      if (done !== undefined) announce(done)
    },
    // The password is shown from the state below; it should not stay in the cache of answers as well.
    gcTime: 0,
  })
}

export function SftpSection({ siteId, sftp }: { siteId: string; sftp: SftpState }) {
  const [password, setPassword] = useState<string | null>(null)
  const set = useSetSftp(siteId, setPassword)
  const reason = useManageReason()
  return (
    <section className="card p-5">
      <div className="mb-1 flex items-center justify-between gap-3">
        <h2 className="font-semibold">{text.sftp}</h2>
        <Status health={sftp.enabled ? 'healthy' : 'off'} word={sftp.enabled ? text.on : text.off} />
      </div>
      <p className="mb-4 text-sm text-muted">{sftp.enabled ? text.lead : text.offText}</p>
      {set.error ? (
        <div className="mb-4">
          <ErrorNotice error={set.error} />
        </div>
      ) : null}
      {password !== null ? <OncePassword password={password} onKept={() => setPassword(null)} /> : null}
      {sftp.enabled ? <Connection sftp={sftp} /> : null}
      <div className="mt-4 flex flex-wrap items-start gap-2">
        {sftp.enabled ? (
          <Changes
            sftp={sftp}
            reason={reason}
            busy={set.isPending}
            callOf={(change) => setting(siteId, change)}
            onSet={(order) => set.mutate(order)}
          />
        ) : (
          <>
            <Button
              look="primary"
              reason={reason}
              busy={set.isPending}
              onClick={() => set.mutate({ change: { enabled: true } })}
            >
              {text.turnOn}
            </Button>
            <CallButton call={() => setting(siteId, { enabled: true })} />
          </>
        )}
      </div>
    </section>
  )
}

interface ChangesProps {
  sftp: SftpState
  reason: string | undefined
  busy: boolean
  callOf: (change: Change) => ApiCall
  onSet: (order: Set) => void
}

function Changes({ sftp, reason, busy, callOf, onSet }: ChangesProps) {
  return (
    <>
      <InlineConfirm
        label={text.newPassword}
        text={text.newPasswordConfirm}
        yes={text.newPasswordYes}
        reason={reason}
        busy={busy}
        onConfirm={() => onSet({ change: { enabled: true } })}
      />
      {sftp.has_password ? (
        <InlineConfirm
          label={text.keysOnly}
          text={text.keysOnlyConfirm}
          yes={text.keysOnlyYes}
          reason={reason}
          busy={busy}
          onConfirm={() => onSet({ change: { enabled: true, password: null }, done: text.keysOnlyDone })}
        />
      ) : null}
      <InlineConfirm
        label={text.turnOff}
        text={text.turnOffConfirm}
        yes={text.turnOffYes}
        reason={reason}
        busy={busy}
        call={() => callOf({ enabled: false })}
        onConfirm={() => onSet({ change: { enabled: false }, done: text.turnedOff })}
      />
    </>
  )
}

function Connection({ sftp }: { sftp: SftpState }) {
  const port = sftp.port === 22 ? '' : `-P ${sftp.port} `
  const facts = [
    [text.host, sftp.host],
    [text.port, String(sftp.port)],
    [text.user, sftp.user],
    [text.command, `sftp ${port}${sftp.user}@${sftp.host}`],
  ] as const
  return (
    <dl className="divide-y border-y">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-h-9 items-center gap-3">
          <dt className="w-24 flex-none text-sm text-muted">{name}</dt>
          <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
            <code className="min-w-0 font-mono text-xs wrap-anywhere">{value}</code>
            <CopyButton text={value} label={`${strings.common.copy}: ${name}`} />
          </dd>
        </div>
      ))}
      <div className="flex min-h-9 items-center gap-3">
        <dt className="w-24 flex-none text-sm text-muted">{text.password}</dt>
        <dd className="text-sm">{sftp.has_password ? text.hasPassword : text.noPassword}</dd>
      </div>
    </dl>
  )
}
