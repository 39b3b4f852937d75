import { ArrowRight, Plus, X } from 'lucide-react'
import { useEffect, useId, useLayoutEffect, useRef } from 'react'
import { Button } from '../components/button.tsx'
import { verbatim } from '../components/verbatim.ts'
import { strings } from '../lib/strings.ts'
import { useNarrow } from '../lib/use-narrow.ts'
import { type Refusal, sentence } from './config-errors.ts'
import { nextKey, type RedirectRow, sentRedirects } from './config-form.ts'

interface RedirectTableProps {
  rows: readonly RedirectRow[]
  refusal: Refusal | undefined
  isReadOnly: boolean
  onChange: (rows: readonly RedirectRow[]) => void
}

/** One line an address; on a phone a block. */
export function RedirectTable({ rows, refusal, isReadOnly, onChange }: RedirectTableProps) {
  const list = useRef<HTMLUListElement>(null)
  const wasAdded = useRef(false)
  // Before anything can be typed, so that nothing typed goes elsewhere.
  useLayoutEffect(() => {
    if (wasAdded.current) list.current?.querySelector<HTMLElement>('li:last-child input')?.focus()
    wasAdded.current = false
  }, [rows.length])
  const refusedRow = refusal?.index === undefined ? undefined : sentRedirects(rows)[refusal.index]
  useEffect(() => {
    if (refusal) list.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusal])

  const replace = (key: number, part: Partial<RedirectRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  const add = () => {
    wasAdded.current = true
    onChange([...rows, { key: nextKey(rows), from: '', to: '', status: 301 }])
  }
  return (
    <div className="flex flex-col items-start gap-3">
      {rows.length > 0 ? (
        <ul ref={list} className="flex w-full flex-col gap-3 sm:gap-2">
          {rows.map((row) => (
            <RedirectFields
              key={row.key}
              row={row}
              refusal={row === refusedRow ? refusal : undefined}
              onChange={(part) => replace(row.key, part)}
              onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
            />
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">{strings.config.redirectsNone}</p>
      )}
      {refusal && !refusedRow ? (
        <p role="alert" className="text-sm text-failed">
          {sentence(refusal.message)}
        </p>
      ) : null}
      {isReadOnly ? null : (
        <Button onClick={add}>
          <Plus aria-hidden size={15} />
          {strings.config.redirectAdd}
        </Button>
      )}
    </div>
  )
}

const statuses = [301, 302, 307, 308] as const

interface RedirectFieldsProps {
  row: RedirectRow
  refusal: Refusal | undefined
  onChange: (part: Partial<RedirectRow>) => void
  onRemove: () => void
}

function RedirectFields({ row, refusal, onChange, onRemove }: RedirectFieldsProps) {
  const errorId = useId()
  const isNarrow = useNarrow()
  const text = strings.config
  const invalid = (part: string) =>
    refusal && (refusal.part ?? 'from') === part
      ? ({ 'aria-invalid': true, 'aria-describedby': errorId } as const)
      : {}
  const input = 'control font-mono text-sm'
  return (
    <li className={isNarrow ? 'card flex flex-col gap-2 p-3' : 'flex flex-wrap items-center gap-2'}>
      <input
        {...invalid('from')}
        aria-label={text.redirectFrom}
        placeholder={text.redirectFromPlaceholder}
        {...verbatim}
        className={`${input} min-w-0 sm:flex-1`}
        value={row.from}
        onChange={(event) => onChange({ from: event.target.value })}
      />
      <ArrowRight aria-hidden size={14} className="flex-none text-muted max-sm:hidden" />
      <input
        {...invalid('to')}
        aria-label={text.redirectTo}
        placeholder={text.redirectToPlaceholder}
        {...verbatim}
        className={`${input} min-w-0 sm:flex-1`}
        value={row.to}
        onChange={(event) => onChange({ to: event.target.value })}
      />
      <div className="flex items-center gap-2">
        <select
          {...invalid('status')}
          aria-label={text.redirectStatus}
          className="control sm:!w-42"
          value={row.status}
          onChange={(event) => {
            const status = statuses.find((candidate) => String(candidate) === event.target.value)
            if (status) onChange({ status })
          }}
        >
          {statuses.map((status) => (
            <option key={status} value={status}>
              {text.redirectStatuses[status]}
            </option>
          ))}
        </select>
        <Button look="quiet" icon aria-label={text.redirectRemove(row.from)} onClick={onRemove}>
          <X aria-hidden size={15} />
        </Button>
      </div>
      {refusal ? (
        <p id={errorId} className="basis-full text-sm text-failed">
          {sentence(refusal.message)}
        </p>
      ) : null}
    </li>
  )
}
