import type { Task } from '@reeve/contract/tasks.ts'
import type { Context } from '../context.ts'
import type { DatabaseTransaction } from '../db/types.ts'
import { insertTask, type NewTask, readTask } from './journal.ts'

/** Commits the task together with what `prepare` writes, announces it and starts it. */
export async function startTask(
  { db, tasks, events }: Pick<Context, 'db' | 'tasks' | 'events'>,
  task: NewTask,
  prepare: (transaction: DatabaseTransaction) => Promise<void>,
): Promise<Task> {
  const id = await db.transaction().execute(async (transaction) => {
    await prepare(transaction)
    return await insertTask(transaction, task)
  })
  const accepted = await readTask(db, id)
  if (!accepted) throw new Error(`The task ${id} is not there right after it was committed.`)
  // Whoever creates a site was given it in the same transaction.
  if (task.actorId !== null) await events.widen(task.actorId)
  const audience = { siteId: task.siteId, accountId: task.siteId === null ? task.actorId : null }
  const keys = ['sites', 'tasks', ...(task.siteId === null ? [] : [`sites/${task.siteId}`])]
  events.publish('task', accepted, audience)
  events.publish('invalidate', { keys }, audience)
  tasks.start(id)
  return accepted
}
