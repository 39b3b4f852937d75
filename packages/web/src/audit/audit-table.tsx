import type { AuditEntry, AuditResult } from '@reeve/contract/audit.ts'
import { type Health, Status } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { strings } from '../lib/strings.ts'
import { useNarrow } from '../lib/use-narrow.ts'
import { actionName } from './action-name.ts'

const healths: Record<AuditResult, Health> = { ok: 'healthy', refused: 'attention', failed: 'failed' }

export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  const { columns } = strings.audit
  if (useNarrow()) {
    return (
      <ul className="flex flex-col gap-2">
        {entries.map((entry) => (
          <li key={entry.seq} className="card flex flex-col gap-1 p-4">
            <div className="flex items-start justify-between gap-3">
              <p className="min-w-0 font-medium">{actionName(entry.action)}</p>
              <Result entry={entry} />
            </div>
            {entry.target ? <p className="text-sm wrap-anywhere">{entry.target}</p> : null}
            {entry.reason ? <p className="text-sm wrap-anywhere text-muted">{entry.reason}</p> : null}
            <p className="text-sm wrap-anywhere text-muted">
              {entry.actor} · <Time at={entry.at} />
              {entry.address ? ` · ${entry.address}` : ''}
            </p>
          </li>
        ))}
      </ul>
    )
  }
  return (
    <div className="card overflow-x-auto">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{columns.when}</th>
            <th scope="col">{columns.who}</th>
            <th scope="col">{columns.what}</th>
            <th scope="col">{columns.target}</th>
            <th scope="col" className="max-lg:hidden">
              {columns.from}
            </th>
            <th scope="col">{columns.result}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.seq}>
              <td className="text-muted">
                <Time at={entry.at} />
              </td>
              <td className="wrap-break-word">{entry.actor}</td>
              <td title={entry.action} className="font-medium whitespace-nowrap">
                {actionName(entry.action)}
              </td>
              <td className="min-w-44 wrap-anywhere">
                {entry.target ?? (entry.reason ? null : <span className="text-muted">–</span>)}
                {entry.reason ? <p className="text-xs text-muted">{entry.reason}</p> : null}
              </td>
              <td className="font-mono text-xs max-lg:hidden">{entry.address ?? '–'}</td>
              <td>
                <Result entry={entry} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Result({ entry }: { entry: AuditEntry }) {
  return <Status health={healths[entry.result]} word={strings.audit.results[entry.result]} />
}
