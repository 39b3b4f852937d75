import type { Site } from '@reeve/contract/sites.ts'
import { useQuery } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Empty, Page, Problem } from '../components/page.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { useMe } from '../lib/access.ts'
import { sitesQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { filterSites, type StateFilter, stateFilters } from './filter.ts'
import { healthOfSite } from './health.ts'
import { NewSiteLink } from './new-site-link.tsx'
import { SiteTable } from './site-table.tsx'

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
            <SiteTable sites={shown} />
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
