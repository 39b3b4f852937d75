import type { DatabaseSync } from 'node:sqlite'
import { deleteExpiredSessions } from '../accounts/sessions.ts'
import { describeError, type Log } from '../log.ts'
import { deleteOldTasks } from '../tasks/journal.ts'
import { backupDaily } from './backup.ts'
import type { Database } from './types.ts'

const hourMs = 60 * 60 * 1000

/** Once an hour, what is due daily: a copy of the database, and forgetting what has expired. */
export function startUpkeep(db: Database, raw: DatabaseSync, backups: string, log: Log): AsyncDisposable {
  let running = Promise.resolve()
  const run = () => {
    running = upkeep(db, raw, backups).catch((error: unknown) =>
      log('upkeep failed', { error: describeError(error) }),
    )
  }
  const timer = setInterval(run, hourMs)
  run()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
    },
  }
}

async function upkeep(db: Database, raw: DatabaseSync, backups: string): Promise<void> {
  await deleteExpiredSessions(db)
  await deleteOldTasks(db)
  await backupDaily(raw, backups)
}
