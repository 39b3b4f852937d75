// The one module that touches node:sqlite and gives the rest of the API a Kysely on it.
// One connection, every commit synced (synchronous=FULL), a damaged file refused at start.
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { AppError } from '@reeve/contract/errors.ts'
import { Kysely, SqliteDialect } from 'kysely'
import { migrate } from './migrate.ts'
import type { Database, Schema } from './types.ts'

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  readonly raw: DatabaseSync
}

export async function openDatabase(path: string, backupFolder: string): Promise<OpenDatabase> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const raw = openChecked(path, backupFolder)
  try {
    await migrate(raw, backupFolder)
  } catch (error) {
    raw.close()
    throw error
  }
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: adapt(raw) }) })
  return {
    db,
    raw,
    async [Symbol.asyncDispose]() {
      await db.destroy()
      // Kysely closes only what it has used.
      if (raw.isOpen) raw.close()
    },
  }
}

function openChecked(path: string, backupFolder: string): DatabaseSync {
  let raw: DatabaseSync | undefined
  try {
    raw = new DatabaseSync(path, { timeout: 5000 })
    chmodSync(path, 0o600)
    raw.exec('pragma journal_mode = wal')
    raw.exec('pragma synchronous = full')
    raw.exec('pragma foreign_keys = on')
    const problem = raw.prepare('pragma integrity_check(1)').get()?.['integrity_check']
    if (problem !== 'ok') throw new Error(String(problem))
    return raw
  } catch (error) {
    raw?.close()
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ')
    throw new AppError(
      'refused',
      `The state database ${path} cannot be used (${reason}). Nothing was changed. ` +
        `Put back a copy from ${backupFolder} and start again.`,
      {},
      error,
    )
  }
}

// Kysely's dialect speaks to an object shaped like better-sqlite3; this is that shape on node:sqlite.
function adapt(raw: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof adaptStatement>>()
  return {
    close: () => raw.close(),
    prepare(sql: string) {
      const known = prepared.get(sql)
      if (known) return known
      const statement = adaptStatement(raw.prepare(sql))
      if (prepared.size < 300) prepared.set(sql, statement)
      return statement
    },
  }
}

function adaptStatement(statement: StatementSync) {
  // Kysely types parameters as unknown; the Schema lets only these kinds through.
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...values(parameters)),
    run: (parameters: readonly unknown[]) => statement.run(...values(parameters)),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
  }
}

/** Whether a write failed because a unique index already holds the value. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && /UNIQUE constraint failed/.test(error.message)
}
