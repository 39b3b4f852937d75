import type { createSite } from '@reeve/contract/sites.ts'
import type { listTasks } from '@reeve/contract/tasks.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { ErrorNotice, Notice, rejection } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { useManageReason, useMe } from '../lib/access.ts'
import { ApiError, call, type ResponseOf } from '../lib/api.ts'
import { mergeTask } from '../lib/events.ts'
import { generatePassword } from '../lib/password.ts'
import { capacityQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { AdvancedFields } from './advanced-fields.tsx'
import { CreationRail } from './creation-rail.tsx'
import { keepDraft, readDraft, type SiteBody } from './drafts.ts'
import {
  AdministratorFields,
  DomainField,
  ProfileChoice,
  TypeChoice,
  UpstreamField,
} from './new-site-fields.tsx'
import { bodyOf, type SiteForm, startForm } from './new-site-form.ts'
import { isCms } from './type-facts.ts'

type Created = ResponseOf<typeof createSite>

const creation = (body: SiteBody) => ({ method: 'POST', path: '/api/sites', body }) as const

/** Fields that have a place of their own for the server's message. */
const labels = {
  domain: strings.newSite.domain,
  admin_email: strings.newSite.adminEmail,
  admin_user: strings.newSite.adminUser,
  admin_password: strings.newSite.adminPassword,
  proxy_upstream: strings.newSite.upstream,
  title: strings.newSite.siteTitle,
  aliases: strings.newSite.aliases,
  php_version: strings.newSite.phpVersion,
  php_workers: strings.newSite.phpWorkers,
}
const advancedFields: readonly string[] = ['title', 'aliases', 'php_version', 'php_workers']

export function NewSitePage() {
  const me = useMe()
  const reason = useManageReason()
  const { again } = useSearch({ from: '/shell/sites/new' })
  const { data: capacity } = useQuery(capacityQuery)
  const [draft] = useState(() => (again === undefined ? undefined : readDraft(again)))
  const [start] = useState(() => startForm(me.email, generatePassword(), draft))
  const [form, setForm] = useState<SiteForm>(start)
  const create = useCreateSite()

  const change = (part: Partial<SiteForm>) => setForm((old) => ({ ...old, ...part }))
  const rejected = rejection(create.error, labels)
  const errors = rejected?.field ? { [rejected.field]: rejected.message } : {}
  const available = create.error instanceof ApiError ? create.error.details['available'] : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason === undefined && !create.isPending) create.mutate(bodyOf(form))
  }
  const isDirty = form !== start && !create.isSuccess

  return (
    <Page title={strings.newSite.title} lead={strings.newSite.lead}>
      <LeaveGuard dirty={isDirty} />
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_320px]">
        <form onSubmit={submit} className="flex min-w-0 flex-col gap-6">
          {draft ? <Notice tone="info">{strings.newSite.again}</Notice> : null}
          {me.role === 'readonly' ? <Notice tone="info">{strings.common.readOnlyReason}</Notice> : null}
          {create.error && !rejected?.field ? <ErrorNotice error={create.error} /> : null}
          <DomainField form={form} change={change} error={errors['domain']} />
          <TypeChoice form={form} change={change} />
          {form.type === 'proxy' ? (
            <UpstreamField form={form} change={change} error={errors['proxy_upstream']} />
          ) : null}
          <ProfileChoice form={form} change={change} capacity={capacity} />
          {isCms(form.type) ? <AdministratorFields form={form} change={change} errors={errors} /> : null}
          <AdvancedFields
            form={form}
            change={change}
            errors={errors}
            capacity={capacity}
            available={Array.isArray(available) ? available.map(String) : undefined}
            forceOpen={rejected?.field !== undefined && advancedFields.includes(rejected.field)}
          />
          <div className="flex items-center gap-2 border-t pt-5">
            <Button type="submit" look="primary" busy={create.isPending} reason={reason}>
              {create.isPending ? strings.newSite.submitting : strings.newSite.submit}
            </Button>
            <CallButton call={() => creation(bodyOf(form))} />
          </div>
        </form>
        <CreationRail form={form} capacity={capacity} />
      </div>
    </Page>
  )
}

function useCreateSite() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (body: SiteBody) => call<Created>(creation(body)),
    onSuccess: ({ site, task }, body) => {
      keepDraft(task.id, body)
      client.setQueryData(['sites', site.id], site)
      client.setQueryData<ResponseOf<typeof listTasks>>(
        ['tasks'],
        (old) => old && { tasks: mergeTask(old.tasks, task) },
      )
      // The task may be further than this answer, or over.
      void client.invalidateQueries({ queryKey: ['sites'] })
      void navigate({ to: '/sites/$id', params: { id: site.id }, ignoreBlocker: true })
    },
  })
}
