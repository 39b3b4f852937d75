import type { updateSiteConfig } from '@reeve/contract/site-config.ts'
import { useMemo } from 'react'
import { useMe } from '../lib/access.ts'
import type { ResponseOf } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { refusalsOf } from './config-errors.ts'
import {
  AddressFields,
  CacheFields,
  ProtectionFields,
  RedirectFields,
  SnippetFields,
} from './config-fields.tsx'
import { bodyOfConfig, type ConfigBody, type ConfigForm, configFormOf } from './config-form.ts'
import { useSite } from './site-context.ts'
import { SiteForm, useSiteForm } from './site-form.tsx'
import { hasPageCache } from './tabs.ts'

const putConfig = (id: string, body: ConfigBody) =>
  ({ method: 'PUT', path: `/api/sites/${id}/config`, body }) as const

export function ConfigPage() {
  const site = useSite()
  const { role } = useMe()
  const state = useSiteForm<ConfigForm, ResponseOf<typeof updateSiteConfig>>({
    site,
    formOf: configFormOf,
    callOf: (form, dirty) => putConfig(site.id, bodyOfConfig(form, dirty)),
  })
  const { form, change } = state.draft
  const { refusal } = state.save
  const refusals = useMemo(() => refusalsOf(refusal), [refusal])
  const part = { site, form, change, refusals: refusals ?? {} }
  return (
    <SiteForm state={state} names={strings.config.fields} refusal={refusals ? null : refusal}>
      <AddressFields {...part} />
      <RedirectFields {...part} isReadOnly={role === 'readonly'} />
      {hasPageCache(site.type) ? <CacheFields {...part} /> : null}
      <ProtectionFields {...part} />
      {role === 'admin' ? <SnippetFields {...part} /> : null}
    </SiteForm>
  )
}
