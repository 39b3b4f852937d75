import type { AuditEntry, AuditResult, listAudit } from '@reeve/contract/audit.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Download, ScrollText } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { Empty, Page, Problem } from '../components/page.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { get, isForbidden, type ResponseOf } from '../lib/api.ts'
import { saveText } from '../lib/save-text.ts'
import { strings } from '../lib/strings.ts'
import { AuditTable } from './audit-table.tsx'
import { toCsv } from './csv.ts'

type Filters = Record<'actor' | 'action', string> & { result: AuditResult | '' }

const pageSize = 100
const unfiltered: Filters = { actor: '', action: '', result: '' }

function addressOf(filters: Filters, before: number | null): string {
  const query = new URLSearchParams({ limit: String(pageSize) })
  if (before !== null) query.set('before', String(before))
  for (const name of ['actor', 'action', 'result'] as const) {
    const value = filters[name].trim()
    if (value !== '') query.set(name, value)
  }
  return `/api/audit?${query}`
}

function useAudit(filters: Filters) {
  return useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      get<ResponseOf<typeof listAudit>>(addressOf(filters, pageParam), signal),
    initialPageParam: null as number | null, // The literal alone would type it as null.
    getNextPageParam: (page) => page.next_before,
    staleTime: 0,
    placeholderData: (previous) => previous,
  })
}

const columns = [
  'seq',
  'at',
  'actor',
  'action',
  'target',
  'address',
  'result',
  'status',
  'reason',
  'request_id',
] as const

function saveCsv(entries: readonly AuditEntry[]): void {
  const rows = entries.map((entry) => columns.map((column) => entry[column]))
  saveText('reeve-audit.csv', toCsv(columns, rows), 'text/csv')
}

export function AuditPage() {
  const [filters, setFilters] = useState(unfiltered)
  const audit = useAudit(useDeferredValue(filters))
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? []
  if (isForbidden(audit.error)) return <Problem error={audit.error} />
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <Page
      title={strings.audit.title}
      lead={strings.audit.lead}
      actions={
        <Button
          reason={entries.length === 0 ? strings.audit.nothingToSave : undefined}
          tipSide="end"
          onClick={() => saveCsv(entries)}
        >
          <Download aria-hidden size={15} />
          {strings.audit.csv}
        </Button>
      }
    >
      <FilterRow filters={filters} onChange={setFilters} />
      {audit.error ? (
        <div className="mb-4">
          <ErrorNotice error={audit.error} />
        </div>
      ) : null}
      {audit.isPending ? <SkeletonRows rows={10} /> : null}
      {entries.length > 0 ? <AuditTable entries={entries} /> : null}
      {audit.isSuccess && entries.length === 0 ? (
        <Empty
          icon={<ScrollText aria-hidden size={28} strokeWidth={1.5} />}
          text={isFiltered ? strings.audit.noMatch : strings.audit.empty}
          action={
            isFiltered ? <Button onClick={() => setFilters(unfiltered)}>{strings.audit.clear}</Button> : null
          }
        />
      ) : null}
      {audit.hasNextPage ? (
        <div className="mt-4 text-center">
          <Button busy={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
            {strings.audit.older}
          </Button>
        </div>
      ) : null}
    </Page>
  )
}

const results = ['ok', 'refused', 'failed'] as const satisfies readonly AuditResult[]

function FilterRow({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <input
        type="search"
        aria-label={strings.audit.filterActor}
        placeholder={strings.audit.filterActor}
        className="control sm:w-64"
        value={filters.actor}
        onChange={(event) => onChange({ ...filters, actor: event.target.value })}
      />
      <input
        type="search"
        aria-label={strings.audit.filterAction}
        placeholder={strings.audit.filterAction}
        className="control sm:w-64"
        value={filters.action}
        onChange={(event) => onChange({ ...filters, action: event.target.value })}
      />
      <div className="flex flex-wrap gap-1.5">
        {results.map((result) => (
          <button
            key={result}
            type="button"
            className="chip"
            aria-pressed={filters.result === result}
            onClick={() => onChange({ ...filters, result: filters.result === result ? '' : result })}
          >
            {strings.audit.results[result]}
          </button>
        ))}
      </div>
    </div>
  )
}
