// Copies of the state database by SQLite's backup API: consistent while the panel writes.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'

const dailyCopiesKept = 7
const daily = /^daily-\d{4}-\d{2}-\d{2}\.db$/

export async function backupDatabase(raw: DatabaseSync, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { force: true })
  await backup(raw, unfinished)
  await rename(unfinished, path)
}

/** One copy a day, the last seven are kept. */
export async function backupDaily(raw: DatabaseSync, folder: string, now = new Date()): Promise<void> {
  const name = `daily-${now.toISOString().slice(0, 10)}.db`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const copies = (await readdir(folder)).filter((file) => daily.test(file)).sort()
  if (copies.includes(name)) return
  await backupDatabase(raw, join(folder, name))
  const old = [...copies, name].slice(0, -dailyCopiesKept)
  for (const file of old) await rm(join(folder, file), { force: true })
}
