// The log of one running task. Lines are gathered for a moment, committed as one chunk, and only then
// announced: an offset that a client has seen is never taken back by a crash.
import type { DatabaseOrTransaction, DatabaseTransaction } from '../db/types.ts'

const lengthAtMost = 1_000_000
const notice = '\n[The log is cut here: a task keeps 1 MB of it.]\n'

export interface LogChunk {
  readonly offset: number
  readonly chunk: string
}

export interface TaskLog {
  append(text: string): void
  /** What is not stored yet. */
  peek(): LogChunk | undefined
  /** Called when a chunk from `peek` is stored. */
  written(stored: LogChunk): void
}

/** `length` is how much of the log is already stored, in UTF-16 code units. */
export function createTaskLog(length: number): TaskLog {
  let stored = length
  let gathered = ''
  let isFull = stored >= lengthAtMost
  return {
    append(text) {
      if (isFull) return
      // Control characters other than line breaks and tabs would repaint a terminal that shows the log.
      const line = text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD')
      gathered += line.endsWith('\n') ? line : `${line}\n`
      if (stored + gathered.length < lengthAtMost) return
      isFull = true
      gathered = gathered.slice(0, Math.max(0, lengthAtMost - stored)).toWellFormed() + notice
    },
    peek: () => (gathered === '' ? undefined : { offset: stored, chunk: gathered }),
    written({ chunk }) {
      gathered = gathered.slice(chunk.length)
      stored += chunk.length
    },
  }
}

export async function storeLog(
  transaction: DatabaseTransaction,
  taskId: string,
  { offset, chunk }: LogChunk,
): Promise<void> {
  await transaction
    .insertInto('task_log')
    .values({ task_id: taskId, offset, length: chunk.length, chunk })
    .execute()
  await transaction
    .updateTable('tasks')
    .set({ log_length: offset + chunk.length })
    .where('id', '=', taskId)
    .execute()
}

export async function readTaskLog(
  db: DatabaseOrTransaction,
  taskId: string,
  from: number,
): Promise<{ log: string; log_offset: number }> {
  const chunks = await db
    .selectFrom('task_log')
    .select(['offset', 'chunk'])
    .where('task_id', '=', taskId)
    .where((where) => where(where('offset', '+', where.ref('length')), '>', from))
    .orderBy('offset')
    .execute()
  const log = chunks.map(({ offset, chunk }) => chunk.slice(Math.max(0, from - offset))).join('')
  const start = Math.max(from, chunks[0]?.offset ?? from)
  return { log, log_offset: log === '' ? await storedLength(db, taskId) : start + log.length }
}

async function storedLength(db: DatabaseOrTransaction, taskId: string): Promise<number> {
  const row = await db.selectFrom('tasks').select('log_length').where('id', '=', taskId).executeTakeFirst()
  return row?.log_length ?? 0
}
