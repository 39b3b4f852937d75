// Numbered forward migrations. `user_version` of the file says which have run; each one runs in one
// transaction, after a copy of the whole file was taken.
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '@reeve/contract/errors.ts'
import { backupDatabase } from './backup.ts'
import { foundations } from './migrations/0001-foundations.ts'
import { siteLife } from './migrations/0002-site-life.ts'

export interface Migration {
  readonly version: number
  readonly sql: string
}

export const migrations: readonly Migration[] = [foundations, siteLife]

export function databaseVersion(raw: DatabaseSync): number {
  return Number(raw.prepare('pragma user_version').get()?.['user_version'] ?? 0)
}

export async function migrate(
  raw: DatabaseSync,
  backupFolder: string,
  wanted: readonly Migration[] = migrations,
): Promise<void> {
  const newest = wanted.at(-1)?.version ?? 0
  const current = databaseVersion(raw)
  if (current > newest) {
    throw new AppError(
      'refused',
      `The state database is of version ${current}, this program knows versions up to ${newest}. ` +
        `Start the newer program again, or put back a copy from ${backupFolder}.`,
    )
  }
  for (const migration of wanted.filter(({ version }) => version > current)) {
    if (current > 0) await backupDatabase(raw, join(backupFolder, `before-version-${migration.version}.db`))
    raw.exec('begin immediate')
    try {
      raw.exec(migration.sql)
      raw.exec(`pragma user_version = ${migration.version}`)
      raw.exec('commit')
    } catch (error) {
      raw.exec('rollback')
      throw error
    }
  }
}
