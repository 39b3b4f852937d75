import type { beginTwoFactor } from '@reeve/contract/accounts.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { Status } from '../components/status.tsx'
import { useMe } from '../lib/access.ts'
import { call, type ResponseOf } from '../lib/api.ts'
import { meQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { sessionsQuery } from './queries.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TwoFactorEnrolment } from './two-factor-enrolment.tsx'
import { TwoFactorOffDialog } from './two-factor-off-dialog.tsx'

type Enrolment = ResponseOf<typeof beginTwoFactor>

const begin = { method: 'POST', path: '/api/account/2fa/begin', body: {} } as const

export function TwoFactorSection() {
  const me = useMe()
  const client = useQueryClient()
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const [codes, setCodes] = useState<readonly string[]>()
  const [switchingOff, setSwitchingOff] = useState(false)
  const start = useMutation({ mutationFn: () => call<Enrolment>(begin), onSuccess: setEnrolment })

  const changed = (): void => {
    void client.invalidateQueries({ queryKey: meQuery.queryKey })
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  }
  return (
    <section className="card p-5">
      <div className="mb-1 flex items-center justify-between gap-3">
        <h2 className="font-semibold">{strings.account.twoFactor}</h2>
        <Status
          health={me.two_factor ? 'healthy' : 'off'}
          word={me.two_factor ? strings.sites.on : strings.sites.off}
        />
      </div>
      <p className="mb-4 text-sm text-muted">{strings.account.twoFactorText}</p>
      {start.error ? (
        <div className="mb-4">
          <ErrorNotice error={start.error} />
        </div>
      ) : null}
      {codes ? <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} /> : null}
      {enrolment ? (
        <TwoFactorEnrolment
          enrolment={enrolment}
          onCancel={() => setEnrolment(undefined)}
          onConfirmed={(recoveryCodes) => {
            setEnrolment(undefined)
            setCodes(recoveryCodes)
            changed()
          }}
        />
      ) : null}
      {!enrolment && !codes ? (
        <div className="flex items-center gap-2">
          {me.two_factor ? (
            <Button onClick={() => setSwitchingOff(true)}>{strings.account.turnOff}</Button>
          ) : (
            <>
              <Button look="primary" busy={start.isPending} onClick={() => start.mutate()}>
                {strings.account.turnOn}
              </Button>
              <CallButton call={() => begin} />
            </>
          )}
        </div>
      ) : null}
      {switchingOff ? (
        <TwoFactorOffDialog
          onClose={() => setSwitchingOff(false)}
          onOff={() => {
            setSwitchingOff(false)
            changed()
          }}
        />
      ) : null}
    </section>
  )
}
