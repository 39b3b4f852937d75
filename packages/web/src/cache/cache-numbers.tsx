import type { CacheStats } from '@reeve/contract/cache.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Time } from '../components/time.tsx'
import { byteSize } from '../lib/bytes.ts'
import { strings } from '../lib/strings.ts'
import { pageLifetime } from '../sites/page-lifetime.ts'
import { hitRate } from './hit-rate.ts'

const text = strings.cache
const number = new Intl.NumberFormat('en')

export function PageCacheCard({ site, stats }: { site: Site; stats: CacheStats['page_cache'] }) {
  if (stats === null) {
    return (
      <Card title={text.pageCache}>
        <p className="text-muted">{text.pageCacheOff}</p>
        <Link to="/sites/$id/config" params={{ id: site.id }} className="link">
          {text.turnOn}
        </Link>
      </Card>
    )
  }
  return (
    <Card title={text.pageCache}>
      <HitRate {...stats} />
      <Numbers
        rows={[
          [text.hits, number.format(stats.hits)],
          [text.misses, number.format(stats.misses)],
          [text.bypassed, number.format(stats.bypassed)],
          [text.stored, text.storedPages(stats.files, byteSize(stats.bytes))],
          [strings.site.ttl, pageLifetime(site)],
          ...(stats.since ? [[text.since, <Time key="since" at={stats.since} />] as const] : []),
        ]}
      />
    </Card>
  )
}

export function ObjectCacheCard({ stats }: { stats: CacheStats['object_cache'] }) {
  if (stats === null) {
    return (
      <Card title={text.objectCache}>
        <p className="text-muted">{text.objectCacheOff}</p>
      </Card>
    )
  }
  return (
    <Card title={text.objectCache}>
      <HitRate {...stats} />
      <Numbers
        rows={[
          [text.hits, number.format(stats.hits)],
          [text.misses, number.format(stats.misses)],
          [text.keys, number.format(stats.keys)],
          [text.memory, byteSize(stats.memory_bytes)],
        ]}
      />
    </Card>
  )
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card flex flex-col gap-3 p-5">
      <h2 className="text-sm font-semibold">{title}</h2>
      {children}
    </section>
  )
}

function HitRate(stats: { hits: number; misses: number }) {
  const rate = hitRate(stats)
  return (
    <div>
      <p className="mb-1.5 flex items-baseline gap-2">
        <span className="text-2xl font-semibold">{rate === undefined ? '–' : `${rate} %`}</span>
        <span className="text-sm text-muted">{rate === undefined ? text.noVisits : text.hitRate}</span>
      </p>
      <div aria-hidden className="meter h-1.5 overflow-hidden rounded-sm bg-sunken">
        <div className="h-full bg-healthy" style={{ width: `${rate ?? 0}%` }} />
      </div>
    </div>
  )
}

function Numbers({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="flex flex-col gap-1.5 text-sm">
      {rows.map(([name, value]) => (
        <div key={name} className="flex items-baseline justify-between gap-4">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
