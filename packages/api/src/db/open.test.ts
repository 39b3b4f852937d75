import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { backupDaily } from './backup.ts'
import { databaseVersion, type Migration, migrate, migrations } from './migrate.ts'
import { openDatabase } from './open.ts'

let folder: string
let path: string
let backups: string
beforeEach(() => {
  folder = mkdtempSync('/var/tmp/reeve-db-')
  path = join(folder, 'state.db')
  backups = join(folder, 'backups')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('opening the state database', () => {
  test('makes a synced, strict, checked file that only its owner reads', async () => {
    await using opened = await openDatabase(path, backups)
    const pragma = (name: string) => Object.values(opened.raw.prepare(`pragma ${name}`).get() ?? {})[0]
    expect(pragma('journal_mode')).toBe('wal')
    expect(pragma('synchronous')).toBe(2)
    expect(pragma('foreign_keys')).toBe(1)
    expect(Number(pragma('busy_timeout'))).toBeGreaterThan(0)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(databaseVersion(opened.raw)).toBe(migrations.length)
    const loose = opened.raw
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and sql not like '%strict%'",
      )
      .all()
    expect(loose).toEqual([])
  })

  test('refuses a damaged file, says where the copies are, and leaves it as it is', async () => {
    await (await openDatabase(path, backups))[Symbol.asyncDispose]()
    const bytes = readFileSync(path)
    bytes.fill(0xff, 4096, 12_288)
    writeFileSync(path, bytes)
    await expect(openDatabase(path, backups)).rejects.toThrow(
      new RegExp(`${path} cannot be used .*Put back a copy from ${backups}`),
    )
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('refuses what is no database', async () => {
    writeFileSync(path, 'this is a text file, not a database '.repeat(50))
    await expect(openDatabase(path, backups)).rejects.toThrow('cannot be used')
  })

  test('refuses a file of a newer program', async () => {
    await (await openDatabase(path, backups))[Symbol.asyncDispose]()
    const raw = new DatabaseSync(path)
    raw.exec('pragma user_version = 999')
    raw.close()
    await expect(openDatabase(path, backups)).rejects.toThrow('is of version 999')
  })
})

describe('migrations', () => {
  const next: Migration = {
    version: migrations.length + 1,
    sql: 'create table later (id text primary key) strict',
  }

  test('run once, in order, and leave a copy from before', async () => {
    await using opened = await openDatabase(path, backups)
    await migrate(opened.raw, backups, [...migrations, next])
    await migrate(opened.raw, backups, [...migrations, next])
    expect(databaseVersion(opened.raw)).toBe(next.version)
    const copy = new DatabaseSync(join(backups, `before-version-${next.version}.db`), { readOnly: true })
    expect(databaseVersion(copy)).toBe(migrations.length)
    copy.close()
  })

  test('that fail change nothing', async () => {
    await using opened = await openDatabase(path, backups)
    const broken = { ...next, sql: `${next.sql}; create table accounts (id text)` }
    await expect(migrate(opened.raw, backups, [...migrations, broken])).rejects.toThrow('already exists')
    expect(databaseVersion(opened.raw)).toBe(migrations.length)
    expect(opened.raw.prepare("select 1 from sqlite_master where name = 'later'").get()).toBeUndefined()
  })

  test('are numbered without gap', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  })
})

test('a copy is made once a day and the last seven are kept', async () => {
  await using opened = await openDatabase(path, backups)
  for (let day = 1; day <= 10; day++) {
    const date = new Date(Date.UTC(2026, 0, day, 12))
    await backupDaily(opened.raw, backups, date)
    await backupDaily(opened.raw, backups, date)
  }
  const names = readdirSync(backups).sort()
  expect(names).toHaveLength(7)
  expect(names[0]).toBe('daily-2026-01-04.db')
  const copy = new DatabaseSync(join(backups, names[6] ?? ''), { readOnly: true })
  expect(Object.values(copy.prepare('pragma integrity_check').get() ?? {})).toEqual(['ok'])
  copy.close()
})

test('a transaction that fails is rolled back and the next one works', async () => {
  await using opened = await openDatabase(path, backups)
  const insert = opened.db.transaction().execute(async (transaction) => {
    await transaction.insertInto('settings').values({ key: 'a', value: '1' }).execute()
    throw new Error('no')
  })
  await expect(insert).rejects.toThrow('no')
  expect(await opened.db.selectFrom('settings').selectAll().execute()).toEqual([])
})
