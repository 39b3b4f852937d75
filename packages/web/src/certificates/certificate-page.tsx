import type { CertificateFacts, issueCertificate } from '@reeve/contract/certificates.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { CallButton, CopyButton } from '../components/copy.tsx'
import { ErrorNotice, Notice } from '../components/notice.tsx'
import { Section } from '../components/page.tsx'
import { useClock } from '../components/time.tsx'
import type { ResponseOf } from '../lib/api.ts'
import { dayOf, daysUntil, exactTime } from '../lib/format.ts'
import { strings } from '../lib/strings.ts'
import { useSite } from '../sites/site-context.ts'
import { useSaveReason } from '../sites/use-save-reason.ts'
import { useSiteTask } from '../sites/use-site-task.ts'
import { covers } from './names.ts'

const text = strings.certificate

const issuing = (id: string) => ({ method: 'POST', path: `/api/sites/${id}/certificate`, body: {} }) as const

export function CertificatePage() {
  const site = useSite()
  const { certificate } = site
  const issue = useSiteTask<ResponseOf<typeof issueCertificate>>(site.id)
  const reason = useSaveReason(site, issue.isBusy)
  return (
    <div className="flex max-w-3xl flex-col">
      {issue.refusal ? (
        <div className="mb-4">
          <ErrorNotice error={issue.refusal} />
        </div>
      ) : null}
      {certificate ? <Served certificate={certificate} /> : <p className="mb-8 text-muted">{text.none}</p>}
      {certificate ? <Names site={site} names={certificate.names} /> : null}
      <div className="flex items-center gap-2">
        <Button
          look={certificate?.issuer === 'acme' ? 'secondary' : 'primary'}
          busy={issue.isBusy}
          reason={reason}
          onClick={() => issue.start({ call: issuing(site.id) })}
        >
          {certificate?.issuer === 'acme' ? text.renew : text.get}
        </Button>
        <CallButton call={() => issuing(site.id)} />
      </div>
      <p className="mt-3 text-sm text-muted">{text.how}</p>
    </div>
  )
}

function Served({ certificate }: { certificate: CertificateFacts }) {
  const isPublic = certificate.issuer === 'acme'
  const days = useClock((nowMs) => daysUntil(certificate.expires_at, nowMs))
  const facts = [
    [
      text.issuer,
      isPublic ? (certificate.authority ?? text.unknownAuthority) : text.selfSignedIssuer,
      undefined,
    ],
    [text.expires, text.expiresIn(dayOf(certificate.expires_at), days), exactTime(certificate.expires_at)],
    [text.renews, renewal(certificate), certificate.renew_at ? exactTime(certificate.renew_at) : undefined],
  ] as const
  return (
    <Section title={text.served}>
      <dl className="card divide-y">
        {facts.map(([name, value, title]) => (
          <div key={name} className="flex flex-wrap items-baseline gap-x-4 px-5 py-2.5">
            <dt className="w-full flex-none text-muted sm:w-40">{name}</dt>
            <dd title={title} className="min-w-0 wrap-anywhere">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 flex flex-col gap-3 empty:hidden">
        {certificate.last_error ? (
          <Notice
            tone="attention"
            title={text.lastError}
            action={<CopyButton text={certificate.last_error} label={strings.errors.copy} />}
          >
            <p className="whitespace-pre-wrap">{certificate.last_error}</p>
          </Notice>
        ) : null}
        {isPublic ? null : (
          <Notice tone="info" title={text.selfSignedTitle}>
            {text.selfSigned}
          </Notice>
        )}
      </div>
    </Section>
  )
}

function renewal({ issuer, renew_at }: CertificateFacts): string {
  if (issuer !== 'acme') return text.renewsNever
  return renew_at === null ? text.renewsUnknown : text.renewsFrom(dayOf(renew_at))
}

function Names({ site, names }: { site: Site; names: readonly string[] }) {
  const own = [site.domain, ...site.aliases]
  const uncovered = own.filter((name) => !covers(names, name))
  return (
    <Section title={text.names}>
      <ul className="card divide-y">
        {own.map((name) => (
          <li key={name} className="flex flex-wrap items-center justify-between gap-x-4 px-5 py-2">
            <span className="min-w-0 wrap-anywhere">{name}</span>
            <Coverage isCovered={!uncovered.includes(name)} />
          </li>
        ))}
      </ul>
      {uncovered.length > 0 ? <p className="mt-2 text-sm text-muted">{text.uncoveredText}</p> : null}
    </Section>
  )
}

function Coverage({ isCovered }: { isCovered: boolean }) {
  const [Icon, color, word] = isCovered
    ? [CircleCheck, 'text-healthy', text.covered]
    : [TriangleAlert, 'text-attention', text.uncovered]
  return (
    <span className={`inline-flex items-center gap-1.5 text-sm font-medium ${color}`}>
      <Icon aria-hidden size={15} strokeWidth={2.1} />
      {word}
    </span>
  )
}
