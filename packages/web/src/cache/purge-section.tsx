import type { PurgeTarget, purgeCache } from '@reeve/contract/cache.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { LinesField } from '../components/text-field.tsx'
import { InlineConfirm } from '../components/inline-confirm.tsx'
import { ErrorNotice, rejection } from '../components/notice.tsx'
import { Section } from '../components/page.tsx'
import { announce } from '../components/toasts.tsx'
import { call, type ResponseOf } from '../lib/api.ts'
import { useManageReason } from '../lib/access.ts'
import { strings } from '../lib/strings.ts'

const text = strings.cache

const purging = (id: string, body: PurgeTarget) =>
  ({ method: 'POST', path: `/api/sites/${id}/purge`, body }) as const

function usePurge(site: Site) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (target: PurgeTarget) => call<ResponseOf<typeof purgeCache>>(purging(site.id, target)),
    onSuccess: ({ purged }) => {
      announce(purged === null ? text.purgedAll : text.purgedSome(purged))
      void client.invalidateQueries({ queryKey: ['sites', site.id, 'cache'] })
    },
  })
}

export function PurgeSection({ site }: { site: Site }) {
  const all = usePurge(site)
  const reason = useManageReason()
  return (
    <Section title={text.purge}>
      <div className="flex max-w-2xl flex-col gap-5">
        <p className="text-muted">{text.purgeText}</p>
        {all.error ? <ErrorNotice error={all.error} /> : null}
        <div>
          <InlineConfirm
            label={text.purgeAll}
            text={text.purgeAllConfirm}
            yes={text.purgeAllYes}
            reason={reason}
            busy={all.isPending}
            call={() => purging(site.id, { all: true })}
            onConfirm={() => all.mutate({ all: true })}
          />
        </div>
        <PurgeAddresses site={site} reason={reason} />
      </div>
    </Section>
  )
}

/** One a line; a path is one of the site's main name. */
const addressesOf = (typed: string, siteUrl: string): string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => (/^\/(?!\/)/.test(line) ? new URL(line, siteUrl).href : line))

function PurgeAddresses({ site, reason }: { site: Site; reason: string | undefined }) {
  const [typed, setTyped] = useState('')
  const [isEmpty, setEmpty] = useState(false)
  const purge = usePurge(site)
  const urls = addressesOf(typed, site.url)
  const rejected = rejection(purge.error, { urls: text.addresses })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setEmpty(urls.length === 0)
    if (urls.length > 0 && reason === undefined && !purge.isPending) purge.mutate({ urls })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {purge.error && !rejected?.field ? <ErrorNotice error={purge.error} /> : null}
      <LinesField
        name="urls"
        label={text.addresses}
        hint={text.addressesHint}
        error={isEmpty ? text.nothingTyped : rejected?.field ? rejected.message : undefined}
        value={typed}
        onChange={(lines) => {
          setTyped(lines)
          setEmpty(false)
        }}
      />
      <div className="flex items-center gap-2">
        <Button type="submit" busy={purge.isPending} reason={reason}>
          {text.purgeThese}
        </Button>
        <CallButton call={() => purging(site.id, { urls })} />
      </div>
    </form>
  )
}
