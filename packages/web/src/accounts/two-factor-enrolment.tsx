import type { beginTwoFactor, confirmTwoFactor } from '@reeve/contract/accounts.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton, CopyButton } from '../components/copy.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { type BodyOf, call, type ResponseOf } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { QrCode } from './qr-code.tsx'

type Confirmation = BodyOf<typeof confirmTwoFactor>

interface TwoFactorEnrolmentProps {
  enrolment: ResponseOf<typeof beginTwoFactor>
  onConfirmed: (recoveryCodes: readonly string[]) => void
  onCancel: () => void
}

const confirmation = (body: Confirmation) =>
  ({ method: 'POST', path: '/api/account/2fa/confirm', body }) as const

/** Scan, type the code, done: the factor is on only after the code proved that the app has the secret. */
export function TwoFactorEnrolment({ enrolment, onConfirmed, onCancel }: TwoFactorEnrolmentProps) {
  const [code, setCode] = useState('')
  const body = { code: code.replaceAll(' ', '') }
  const confirm = useMutation({
    mutationFn: (input: Confirmation) => call<ResponseOf<typeof confirmTwoFactor>>(confirmation(input)),
    onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
  })
  const rejected = rejection(confirm.error, { code: strings.login.code })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!confirm.isPending) confirm.mutate(body)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {confirm.error && !rejected?.field ? <ErrorNotice error={confirm.error} /> : null}
      <div className="flex flex-wrap items-start gap-4">
        <QrCode text={enrolment.otpauth_url} label={strings.account.qrLabel} />
        <div className="min-w-0 flex-1 basis-48 text-sm">
          <p className="mb-3">{strings.account.scan}</p>
          <p className="text-muted">{strings.account.orType}</p>
          <p className="flex items-center gap-1">
            <code className="min-w-0 font-mono text-xs break-all">{enrolment.secret}</code>
            <CopyButton text={enrolment.secret} label={strings.account.copySecret} />
          </p>
        </div>
      </div>
      <TextField
        name="code"
        label={strings.login.code}
        hint={strings.account.codeHint}
        error={rejected?.field ? rejected.message : undefined}
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="[0-9 ]{6,8}"
        className="max-w-40 font-mono tracking-[0.15em]"
        value={code}
        onChange={setCode}
      />
      <div className="flex items-center gap-2">
        <Button type="submit" look="primary" busy={confirm.isPending}>
          {strings.account.confirmTwoFactor}
        </Button>
        <Button onClick={onCancel}>{strings.common.cancel}</Button>
        <CallButton call={() => confirmation(body)} />
      </div>
    </form>
  )
}
