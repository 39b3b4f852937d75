import type { Site } from '@reeve/contract/sites.ts'
import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { type Column, RecordTable } from '../components/record-table.tsx'
import { SiteStatus } from '../components/status.tsx'
import { Time, useClock } from '../components/time.tsx'
import { daysUntil } from '../lib/format.ts'
import { strings } from '../lib/strings.ts'
import { isServed } from './health.ts'
import { pageLifetime } from './page-lifetime.ts'
import { hasPageCache } from './tabs.ts'
import { isCms } from './type-facts.ts'

export function SiteTable({ sites }: { sites: readonly Site[] }) {
  return (
    <RecordTable
      rows={sites}
      keyOf={(site) => site.id}
      columns={columns}
      card={(site) => <SiteCard site={site} />}
    />
  )
}

const { columns: labels } = strings.sites

const columns: readonly Column<Site>[] = [
  { label: labels.status, className: 'w-32', cell: (site) => <SiteStatus site={site} /> },
  { label: labels.domain, cell: (site) => <SiteName site={site} /> },
  { label: labels.type, cell: (site) => strings.sites.types[site.type] },
  { label: labels.php, cell: (site) => site.php_version ?? <Nothing /> },
  { label: labels.certificate, className: 'whitespace-nowrap', cell: (site) => <Certificate site={site} /> },
  { label: labels.cache, className: 'whitespace-nowrap', cell: (site) => <CacheState site={site} /> },
  {
    label: labels.created,
    className: 'text-muted max-lg:hidden',
    headClassName: 'max-lg:hidden',
    cell: (site) => <Time at={site.created_at} />,
  },
]

function SiteName({ site }: { site: Site }) {
  return (
    <div className="flex items-center gap-1.5">
      <Link to="/sites/$id" params={{ id: site.id }} className="font-medium wrap-anywhere hover:underline">
        {site.domain}
      </Link>
      <VisitIcon site={site} />
    </div>
  )
}

function SiteCard({ site }: { site: Site }) {
  return (
    <>
      <div className="flex items-start justify-between gap-3">
        <Link
          to="/sites/$id"
          params={{ id: site.id }}
          // The whole card is the target on a phone.
          className="min-w-0 font-medium wrap-anywhere after:absolute after:inset-0"
        >
          {site.domain}
        </Link>
        <SiteStatus site={site} />
      </div>
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        {site.type === 'php' ? null : <span>{strings.sites.types[site.type]}</span>}
        {site.php_version ? <span>PHP {site.php_version}</span> : null}
        <Certificate site={site} />
      </p>
    </>
  )
}

function VisitIcon({ site }: { site: Site }) {
  if (!isServed(site)) return null
  return (
    <a
      href={site.url}
      target="_blank"
      rel="noreferrer"
      aria-label={strings.sites.visit(site.domain)}
      className="rounded-sm p-1 text-muted hover:text-ink"
    >
      <ExternalLink aria-hidden size={13} />
    </a>
  )
}

function Certificate({ site }: { site: Site }) {
  const expiresAt = site.certificate?.expires_at
  const days = useClock((nowMs) => (expiresAt === undefined ? 0 : daysUntil(expiresAt, nowMs)))
  if (!site.certificate) return <Nothing />
  if (site.certificate.issuer === 'self-signed') {
    return <span className="text-muted">{strings.sites.certificates['self-signed']}</span>
  }
  return (
    <span className={days < 14 ? 'font-medium text-attention' : ''}>
      {strings.sites.certificateDays(days)}
    </span>
  )
}

function CacheState({ site }: { site: Site }) {
  if (!hasPageCache(site.type)) return <Nothing />
  if (!site.cache.enabled) return <span className="text-muted">{strings.sites.off}</span>
  return <>{isCms(site.type) ? strings.sites.cacheOn(pageLifetime(site)) : strings.sites.on}</>
}

function Nothing() {
  return <span className="text-muted">–</span>
}
