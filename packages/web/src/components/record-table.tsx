import type { ReactNode } from 'react'
import { useNarrow } from '../lib/use-narrow.ts'

export interface Column<Row> {
  label: string
  cell: (row: Row) => ReactNode
  /** Of the column's cells. */
  className?: string
  /** Of the column's head, where it differs by more than being muted. */
  headClassName?: string
  /** Tells more about a cell when the pointer rests on it. */
  title?: (row: Row) => string
}

interface RecordTableProps<Row> {
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  columns: readonly Column<Row>[]
  /** What stands for a row where there is no room for columns; a list item of its own. */
  card: (row: Row) => ReactNode
}

/** Records in columns; on a phone a card each. */
export function RecordTable<Row>({ rows, keyOf, columns, card }: RecordTableProps<Row>) {
  if (useNarrow()) {
    return (
      <ul className="flex flex-col gap-2">
        {rows.map((row) => (
          <li key={keyOf(row)} className="card relative flex flex-col gap-1 p-4">
            {card(row)}
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
            {columns.map(({ label, headClassName }) => (
              <th key={label} scope="col" className={headClassName}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ label, cell, className, title }) => (
                <td key={label} className={className} title={title?.(row)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
