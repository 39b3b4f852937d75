import { mkdtempSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../db/types.ts'
import { addMarkerTask, openWorld } from '../testing/marker-task.ts'
import { createTaskLog, readTaskLog, storeLog, type TaskLog } from './task-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/var/tmp/reeve-task-log-')
})
afterEach(() => rmSync(folder, { recursive: true }))

const addTask = (db: Database) => addMarkerTask(db, { folder, secret: '', failAt: null, failUndoAt: null })

async function flush(db: Database, id: string, log: TaskLog): Promise<void> {
  const chunk = log.peek()
  if (!chunk) return
  await db.transaction().execute((transaction) => storeLog(transaction, id, chunk))
  log.written(chunk)
}

test('is read from any offset in UTF-16 units, also within a chunk', async () => {
  await using world = await openWorld(folder)
  const id = await addTask(world.db)
  const log = createTaskLog(0)
  let whole = ''
  for (const text of ['first', 'zweite Zeile äöü', 'emoji 🎉 two units', 'last']) {
    log.append(text)
    whole += `${text}\n`
    await flush(world.db, id, log)
  }
  for (let from = 0; from <= whole.length; from++) {
    expect(await readTaskLog(world.db, id, from)).toEqual({
      log: whole.slice(from),
      log_offset: whole.length,
    })
  }
  expect(await readTaskLog(world.db, id, whole.length + 50)).toEqual({ log: '', log_offset: whole.length })
})

test('is cut at 1 MB and says so, once', async () => {
  await using world = await openWorld(folder)
  const id = await addTask(world.db)
  const log = createTaskLog(0)
  for (let line = 0; line < 300; line++) {
    log.append('x'.repeat(9999))
    await flush(world.db, id, log)
  }
  const { log: kept } = await readTaskLog(world.db, id, 0)
  expect(kept.length).toBeLessThan(1_000_200)
  expect(kept.match(/The log is cut here/g)).toHaveLength(1)
})

test('holds nothing that repaints a terminal', async () => {
  await using world = await openWorld(folder)
  const id = await addTask(world.db)
  const log = createTaskLog(0)
  log.append('\u001b[2J\u0007a\tb\r\n\ud800')
  await flush(world.db, id, log)
  expect((await readTaskLog(world.db, id, 0)).log).toBe('\uFFFD[2J\uFFFDa\tb\uFFFD\n\uFFFD\n')
})
