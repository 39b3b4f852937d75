// The panel's databases as a test looks into them: a copy, because SQLite follows the link by which this machine sees
// an installed server's files, and would end at its own.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type Row = Record<string, unknown>

export interface DatabaseCopy extends Disposable {
  rows(query: string, ...values: (string | number)[]): Row[]
}

/** Copies a database with what is still in its log. Only whole when nobody checkpoints it meanwhile. */
export function copyDatabase(path: string): DatabaseCopy {
  const folder = mkdtempSync('/var/tmp/reeve-database-')
  const copy = join(folder, 'copy.db')
  for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
  const db = new DatabaseSync(copy)
  return {
    rows: (query, ...values) => db.prepare(query).all(...values),
    [Symbol.dispose]() {
      db.close()
      rmSync(folder, { recursive: true })
    },
  }
}
