import type { Site } from '@reeve/contract/sites.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ExternalLink, Globe } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Empty, Page, Problem } from '../components/page.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { SiteStatus } from '../components/status.tsx'
import { Time, useClock } from '../components/time.tsx'
import { useMe } from '../lib/access.ts'
import { daysUntil, lifetime } from '../lib/format.ts'
import { sitesQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { useNarrow } from '../lib/use-narrow.ts'
import { filterSites, type StateFilter, stateFilters } from './filter.ts'
import { healthOfSite } from './health.ts'
import { NewSiteLink } from './new-site-link.tsx'

export function SitesPage() {
  const { data: sites, error, refetch } = useQuery(sitesQuery)
  const [words, setWords] = useState('')
  const [filter, setFilter] = useState<StateFilter>('all')
  if (error && !sites) return <Problem error={error} onRetry={() => void refetch()} />
  const shown = filterSites(sites ?? [], healthOfSite, words, filter)
  const isEmpty = sites?.length === 0
  return (
    <Page
      title={strings.sites.title}
      lead={sites && !isEmpty ? strings.sites.count(sites.length) : undefined}
      actions={isEmpty ? null : <NewSiteLink />}
    >
      {sites === undefined ? <SkeletonRows rows={8} /> : null}
      {isEmpty ? <NoSites /> : null}
      {sites && !isEmpty ? (
        <>
          <div className="mb-3 flex flex-wrap items-center gap-2">
            <FilterBox words={words} onChange={setWords} />
            <StateChips sites={sites} filter={filter} onChange={setFilter} />
          </div>
          {shown.length > 0 ? (
            <SiteList sites={shown} />
          ) : (
            <Empty
              text={words ? strings.sites.noMatch(words) : strings.sites.noneInState}
              action={
                <Button
                  onClick={() => {
                    setWords('')
                    setFilter('all')
                  }}
                >
                  {strings.sites.clear}
                </Button>
              }
            />
          )}
        </>
      ) : null}
    </Page>
  )
}

function NoSites() {
  const me = useMe()
  const text = {
    admin: strings.sites.empty,
    operator: strings.sites.emptyOperator,
    readonly: strings.sites.emptyReadonly,
  }[me.role]
  return (
    <Empty
      icon={<Globe aria-hidden size={28} strokeWidth={1.5} />}
      text={text}
      action={<NewSiteLink label={strings.sites.first} />}
    />
  )
}

function FilterBox({ words, onChange }: { words: string; onChange: (words: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog')
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <div className="relative w-full sm:w-72">
      <input
        ref={input}
        type="search"
        aria-label={strings.sites.filter}
        placeholder={strings.sites.filter}
        title={strings.sites.filterKey}
        className="control pr-9"
        value={words}
        onChange={(event) => onChange(event.target.value)}
      />
      {words ? null : (
        <kbd
          aria-hidden
          className="kbd pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 max-sm:hidden"
        >
          /
        </kbd>
      )}
    </div>
  )
}

interface StateChipsProps {
  sites: readonly Site[]
  filter: StateFilter
  onChange: (filter: StateFilter) => void
}

function StateChips({ sites, filter, onChange }: StateChipsProps) {
  return (
    <div className="flex flex-wrap gap-1.5">
      {stateFilters.map((name) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-pressed={filter === name}
          onClick={() => onChange(name)}
        >
          {strings.sites.chips[name]}
          <span className="opacity-80">{filterSites(sites, healthOfSite, '', name).length}</span>
        </button>
      ))}
    </div>
  )
}

function SiteList({ sites }: { sites: readonly Site[] }) {
  const { columns } = strings.sites
  if (useNarrow()) {
    return (
      <ul className="flex flex-col gap-2">
        {sites.map((site) => (
          <SiteCard key={site.id} site={site} />
        ))}
      </ul>
    )
  }
  return (
    <div className="card overflow-x-auto">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{columns.status}</th>
            <th scope="col">{columns.domain}</th>
            <th scope="col">{columns.type}</th>
            <th scope="col">{columns.php}</th>
            <th scope="col">{columns.certificate}</th>
            <th scope="col">{columns.cache}</th>
            <th scope="col" className="max-lg:hidden">
              {columns.created}
            </th>
          </tr>
        </thead>
        <tbody>
          {sites.map((site) => (
            <SiteRow key={site.id} site={site} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SiteRow({ site }: { site: Site }) {
  return (
    <tr>
      <td className="w-32">
        <SiteStatus site={site} />
      </td>
      <td>
        <div className="flex items-center gap-1.5">
          <Link
            to="/sites/$id"
            params={{ id: site.id }}
            className="font-medium wrap-anywhere hover:underline"
          >
            {site.domain}
          </Link>
          <VisitIcon site={site} />
        </div>
      </td>
      <td>{strings.sites.types[site.type]}</td>
      <td>{site.php_version ?? <Nothing />}</td>
      <td className="whitespace-nowrap">
        <Certificate site={site} />
      </td>
      <td className="whitespace-nowrap">
        <CacheState site={site} />
      </td>
      <td className="text-muted max-lg:hidden">
        <Time at={site.created_at} />
      </td>
    </tr>
  )
}

function SiteCard({ site }: { site: Site }) {
  return (
    <li className="card relative flex flex-col gap-1.5 p-4">
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
    </li>
  )
}

function VisitIcon({ site }: { site: Site }) {
  if (site.state === 'creating' || site.state === 'deleting') return null
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
  if (!site.cache.enabled) return <span className="text-muted">{strings.sites.off}</span>
  return <>{strings.sites.cacheOn(lifetime(site.cache.ttl_s))}</>
}

function Nothing() {
  return <span className="text-muted">–</span>
}
