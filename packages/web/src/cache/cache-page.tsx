import type { warmCache } from '@reeve/contract/cache.ts'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { Section } from '../components/page.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import type { ResponseOf } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { useSite } from '../sites/site-context.ts'
import { isCms, usesPhp } from '../sites/type-facts.ts'
import { useSaveReason } from '../sites/use-save-reason.ts'
import { useSiteTask } from '../sites/use-site-task.ts'
import { ObjectCacheCard, PageCacheCard } from './cache-numbers.tsx'
import { Connector } from './connector.tsx'
import { PurgeSection } from './purge-section.tsx'
import { cacheStatsQuery } from './queries.ts'

const text = strings.cache

const warming = (id: string) => ({ method: 'POST', path: `/api/sites/${id}/warm`, body: {} }) as const

export function CachePage() {
  const site = useSite()
  const stats = useQuery(cacheStatsQuery(site.id))
  return (
    <>
      {stats.error ? (
        <div className="mb-4">
          <ErrorNotice error={stats.error} />
        </div>
      ) : null}
      {stats.data ? (
        <>
          <div className="mb-3 grid gap-4 sm:grid-cols-2">
            <PageCacheCard site={site} stats={stats.data.page_cache} />
            {usesPhp(site.type) ? <ObjectCacheCard stats={stats.data.object_cache} /> : null}
          </div>
          <p className="mb-8">
            <Button look="quiet" busy={stats.isFetching} onClick={() => void stats.refetch()}>
              <RefreshCw aria-hidden size={15} />
              {text.refresh}
            </Button>
          </p>
        </>
      ) : stats.isPending ? (
        <SkeletonCards cards={2} />
      ) : null}
      {site.cache.enabled ? (
        <>
          <PurgeSection site={site} />
          <WarmSection />
        </>
      ) : null}
      {isCms(site.type) ? <Connector site={site} /> : null}
    </>
  )
}

function WarmSection() {
  const site = useSite()
  const warm = useSiteTask<ResponseOf<typeof warmCache>>(site.id)
  const reason = useSaveReason(site, warm.isBusy)
  return (
    <Section title={text.warm}>
      <div className="flex max-w-2xl flex-col items-start gap-3">
        <p className="text-muted">{text.warmText}</p>
        {warm.refusal ? <ErrorNotice error={warm.refusal} /> : null}
        <div className="flex items-center gap-2">
          <Button busy={warm.isBusy} reason={reason} onClick={() => warm.start({ call: warming(site.id) })}>
            {text.warmStart}
          </Button>
          <CallButton call={() => warming(site.id)} />
        </div>
      </div>
    </Section>
  )
}
