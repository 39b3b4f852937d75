import { useQuery } from '@tanstack/react-query'
import { FileCheck2 } from 'lucide-react'
import { Empty, Page, Problem, Section } from '../components/page.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { Time } from '../components/time.tsx'
import { sitesQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { DriftCard } from './drift-card.tsx'
import { driftQuery } from './queries.ts'

const text = strings.drift

export function DriftPage() {
  const { data: drift, error, refetch } = useQuery(driftQuery)
  const { data: sites = [] } = useQuery(sitesQuery)
  if (error && !drift) return <Problem error={error} onRetry={() => void refetch()} />
  const domainOf = (siteId: string | null) => sites.find((site) => site.id === siteId)?.domain
  return (
    <Page title={text.title} lead={text.lead}>
      {drift ? (
        <>
          {drift.items.length > 0 ? (
            <Section title={text.count(drift.items.length)}>
              <ul className="flex flex-col gap-4">
                {drift.items.map((item) => (
                  <DriftCard key={item.id} item={item} domain={domainOf(item.site_id)} />
                ))}
              </ul>
            </Section>
          ) : (
            <Empty
              icon={<FileCheck2 aria-hidden size={28} strokeWidth={1.5} />}
              text={
                <>
                  <span className="block font-medium text-ink">{text.empty}</span>
                  {text.emptyNote}
                </>
              }
            />
          )}
          <p className="mt-4 text-sm text-muted">
            {drift.swept_at === null ? (
              text.neverSwept
            ) : (
              <>
                {text.sweptAt} <Time at={drift.swept_at} />
              </>
            )}
          </p>
        </>
      ) : (
        <SkeletonRows rows={4} />
      )}
    </Page>
  )
}
