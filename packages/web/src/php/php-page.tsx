import type { updateSitePhp } from '@reeve/contract/php.ts'
import { useQuery } from '@tanstack/react-query'
import { type Rejection, rejection } from '../components/notice.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { ApiError, type ResponseOf } from '../lib/api.ts'
import { type Capacity, capacityQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { useSite } from '../sites/site-context.ts'
import { SiteForm, useSiteForm } from '../sites/site-form.tsx'
import { LimitFields, VersionField, WorkerFields } from './php-fields.tsx'
import { bodyOfPhp, type PhpBody, type PhpForm, phpFormOf } from './php-form.ts'

const putPhp = (id: string, body: PhpBody) => ({ method: 'PUT', path: `/api/sites/${id}/php`, body }) as const

const labels: Readonly<Record<string, string>> = {
  version: strings.php.version,
  php_version: strings.php.version,
  memory_limit_mb: strings.php.memory,
  max_execution_s: strings.php.time,
  upload_max_mb: strings.php.upload,
  php_workers: strings.php.workers,
}

export function PhpPage() {
  const { data: capacity, error } = useQuery(capacityQuery)
  // What is automatic is known from the budget only; without an answer the form still shows what is in force.
  if (!capacity && !error) return <SkeletonCards cards={2} />
  return <PhpSettings capacity={capacity} />
}

function PhpSettings({ capacity }: { capacity: Capacity | undefined }) {
  const site = useSite()
  const state = useSiteForm<PhpForm, ResponseOf<typeof updateSitePhp>>({
    site,
    formOf: (current) => phpFormOf(current, capacity?.php_workers),
    callOf: (form, dirty) => putPhp(site.id, bodyOfPhp(form, dirty)),
  })
  const { form, change } = state.draft
  const { refusal, answer, isBusy, failure } = state.save
  const rejected: Rejection | undefined = rejection(refusal, labels)
  const isSaved = !isBusy && failure === null
  const available = refusal instanceof ApiError ? refusal.details['available'] : undefined
  const part = { form, change, capacity, rejected }
  return (
    <SiteForm
      state={state}
      names={strings.php.fields}
      refusal={rejected?.field ? null : refusal}
      warnings={isSaved ? answer?.warnings : undefined}
    >
      <p className="mb-6 max-w-2xl text-muted">{strings.php.effect}</p>
      <VersionField {...part} available={Array.isArray(available) ? available.map(String) : undefined} />
      <LimitFields {...part} />
      <WorkerFields {...part} />
    </SiteForm>
  )
}
