import type { addSshKey, SshKey } from '@reeve/contract/access.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton, CommandLine } from '../components/copy.tsx'
import { LinesField } from '../components/text-field.tsx'
import { InlineConfirm } from '../components/inline-confirm.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { Time } from '../components/time.tsx'
import { announce } from '../components/toasts.tsx'
import { useManageReason } from '../lib/access.ts'
import { type BodyOf, call, type ResponseOf } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { isPrivateKey, shownFingerprint } from './key-text.ts'

type NewKey = BodyOf<typeof addSshKey>

const text = strings.access

const adding = (siteId: string, body: NewKey) =>
  ({ method: 'POST', path: `/api/sites/${siteId}/ssh-keys`, body }) as const
const removal = (siteId: string, fingerprint: string) =>
  ({ method: 'DELETE', path: `/api/sites/${siteId}/ssh-keys/${fingerprint}` }) as const

interface SshKeysProps {
  siteId: string
  keys: readonly SshKey[]
  /** Whether SFTP is on: keys alone open nothing. */
  isOn: boolean
}

export function SshKeysSection({ siteId, keys, isOn }: SshKeysProps) {
  return (
    <section className="card p-5">
      <h2 className="mb-1 font-semibold">{text.keys}</h2>
      <p className="mb-4 text-sm text-muted">
        {text.keysLead} {isOn ? null : text.keysWhileOff}
      </p>
      {keys.length > 0 ? (
        <ul className="mb-5 divide-y border-y">
          {keys.map((key) => (
            <KeyRow key={key.fingerprint} siteId={siteId} sshKey={key} />
          ))}
        </ul>
      ) : (
        <p className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          <span>{text.keysEmpty}</span>
          <CommandLine command={text.keygen} />
        </p>
      )}
      <AddKey siteId={siteId} />
    </section>
  )
}

function KeyRow({ siteId, sshKey }: { siteId: string; sshKey: SshKey }) {
  const client = useQueryClient()
  const reason = useManageReason()
  const remove = useMutation({
    mutationFn: () => call(removal(siteId, sshKey.fingerprint)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sites', siteId, 'access'] })
      announce(text.keyRemoved)
    },
  })
  const name = sshKey.comment || text.noComment
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <KeyRound aria-hidden size={16} className="flex-none text-muted" />
      <div className="min-w-0 flex-1 basis-52">
        <p className={`wrap-anywhere ${sshKey.comment ? 'font-medium' : 'text-muted'}`}>{name}</p>
        <p className="font-mono text-xs wrap-anywhere text-muted">{shownFingerprint(sshKey.fingerprint)}</p>
        <p className="text-xs text-muted">
          {sshKey.type} · {text.added} <Time at={sshKey.added_at} />
        </p>
        {remove.error ? (
          <div className="mt-2">
            <ErrorNotice error={remove.error} />
          </div>
        ) : null}
      </div>
      <InlineConfirm
        label={text.removeKey}
        ariaLabel={text.removeKeyLabel(name)}
        text={text.removeConfirm}
        yes={text.removeYes}
        reason={reason}
        tipSide="end"
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </li>
  )
}

function AddKey({ siteId }: { siteId: string }) {
  const client = useQueryClient()
  const reason = useManageReason()
  const [typed, setTyped] = useState('')
  const [isPrivate, setPrivate] = useState(false)
  const add = useMutation({
    mutationFn: (body: NewKey) => call<ResponseOf<typeof addSshKey>>(adding(siteId, body)),
    onSuccess: async () => {
      setTyped('')
      await client.invalidateQueries({ queryKey: ['sites', siteId, 'access'] })
      announce(text.keyAdded)
    },
  })
  const rejected = rejection(add.error, { public_key: text.keyField })
  const change = (value: string) => {
    const isSecret = isPrivateKey(value)
    setPrivate(isSecret)
    setTyped(isSecret ? '' : value)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason === undefined && !add.isPending) add.mutate({ public_key: typed.trim() })
  }
  const refused = rejected?.field ? rejected.message : undefined
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {add.error && !rejected?.field ? <ErrorNotice error={add.error} /> : null}
      <LinesField
        name="public_key"
        label={text.keyField}
        hint={text.keyHint}
        error={isPrivate ? text.privateKey : refused}
        required
        className="font-mono text-xs"
        value={typed}
        onChange={change}
      />
      <div className="flex items-center gap-2">
        <Button type="submit" busy={add.isPending} reason={reason}>
          {text.addKey}
        </Button>
        <CallButton call={() => adding(siteId, { public_key: typed.trim() })} />
      </div>
    </form>
  )
}
