import type { AuditEntry, AuditResult } from '@reeve/contract/audit.ts'
import { type Column, RecordTable } from '../components/record-table.tsx'
import { type Health, Status } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { strings } from '../lib/strings.ts'
import { actionName } from './action-name.ts'

const healths: Record<AuditResult, Health> = { ok: 'healthy', refused: 'attention', failed: 'failed' }

export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <RecordTable
      rows={entries}
      keyOf={(entry) => entry.seq}
      columns={columns}
      card={(entry) => <EntryCard entry={entry} />}
    />
  )
}

const { columns: labels } = strings.audit

const columns: readonly Column<AuditEntry>[] = [
  { label: labels.when, className: 'text-muted', cell: (entry) => <Time at={entry.at} /> },
  { label: labels.who, className: 'wrap-break-word', cell: (entry) => entry.actor },
  {
    label: labels.what,
    className: 'font-medium whitespace-nowrap',
    title: (entry) => entry.action,
    cell: (entry) => actionName(entry.action),
  },
  { label: labels.target, className: 'min-w-44 wrap-anywhere', cell: (entry) => <Target entry={entry} /> },
  {
    label: labels.from,
    className: 'font-mono text-xs max-lg:hidden',
    headClassName: 'max-lg:hidden',
    cell: (entry) => entry.address ?? '–',
  },
  { label: labels.result, cell: (entry) => <Result entry={entry} /> },
]

function Target({ entry }: { entry: AuditEntry }) {
  return (
    <>
      {entry.target ?? (entry.reason ? null : <span className="text-muted">–</span>)}
      {entry.reason ? <p className="text-xs text-muted">{entry.reason}</p> : null}
    </>
  )
}

function EntryCard({ entry }: { entry: AuditEntry }) {
  return (
    <>
      <div className="flex items-start justify-between gap-3">
        <p className="min-w-0 font-medium">{actionName(entry.action)}</p>
        <Result entry={entry} />
      </div>
      {entry.target ? <p className="text-sm wrap-anywhere">{entry.target}</p> : null}
      {entry.reason ? <p className="text-sm wrap-anywhere text-muted">{entry.reason}</p> : null}
      <p className="text-sm wrap-anywhere text-muted">
        <bdi>{entry.actor}</bdi> · <Time at={entry.at} />
        {entry.address ? ` · ${entry.address}` : ''}
      </p>
    </>
  )
}

function Result({ entry }: { entry: AuditEntry }) {
  return <Status health={healths[entry.result]} word={strings.audit.results[entry.result]} />
}
