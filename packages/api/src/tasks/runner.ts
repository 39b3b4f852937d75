// Runs tasks: journals (synced) before and after every step, undoes in reverse what was started when a step
// fails, waits for the agent when it goes away, and carries on after a restart from what the journal says.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentClient } from '../agent-client.ts'
import type { Database } from '../db/types.ts'
import type { EventHub } from '../events.ts'
import { describeError, type Log } from '../log.ts'
import { setSiteState } from '../sites/store.ts'
import type { BoundTask } from './definition.ts'
import { endTask, readUnfinished } from './journal.ts'
import { TaskRecord } from './record.ts'
import { TaskRun } from './run.ts'

export interface TaskRunner extends AsyncDisposable {
  /** Starts a task that `insertTask` has committed. */
  start(taskId: string): void
  /** Carries on with what an earlier process left unfinished. */
  resume(): Promise<void>
  /** Resolves when no task is running; for tests. */
  idle(): Promise<void>
}

const firstRetryMs = 1000
const longestRetryMs = 60_000

export interface RunnerDependencies {
  readonly db: Database
  readonly agent: AgentClient
  readonly events: Pick<EventHub, 'publish'>
  readonly log: Log
}

export function createTaskRunner(
  dependencies: RunnerDependencies,
  definitions: readonly BoundTask[],
): TaskRunner {
  const kinds = new Map(definitions.map((definition) => [definition.kind, definition]))
  const shutdown = new AbortController()
  const running = new Map<string, Promise<void>>()

  const start = (taskId: string) => {
    if (running.has(taskId) || shutdown.signal.aborted) return
    const run = runUntilEnded(dependencies, kinds, taskId, shutdown.signal)
      .catch((error: unknown) => {
        // Only stopping ends it early; the journal says where the next start carries on.
        if (!shutdown.signal.aborted) throw error
      })
      .finally(() => running.delete(taskId))
    running.set(taskId, run)
  }
  return {
    start,
    async resume() {
      for (const { id } of await readUnfinished(dependencies.db)) start(id)
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values())
    },
    async [Symbol.asyncDispose]() {
      shutdown.abort(new Error('The panel is stopping.'))
      await Promise.all(running.values())
    },
  }
}

/** What stops the run itself, such as a full disk, is tried again: no task stays where it is for ever. */
async function runUntilEnded(
  dependencies: RunnerDependencies,
  kinds: ReadonlyMap<string, BoundTask>,
  taskId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let delayMs = firstRetryMs; ; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
    try {
      return await runTask(dependencies, kinds, taskId, signal)
    } catch (error) {
      signal.throwIfAborted()
      dependencies.log('task interrupted', { task: taskId, error: describeError(error) })
    }
    await sleep(delayMs, undefined, { signal })
  }
}

async function runTask(
  dependencies: RunnerDependencies,
  kinds: ReadonlyMap<string, BoundTask>,
  taskId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db } = dependencies
  const task = await db.selectFrom('tasks').selectAll().where('id', '=', taskId).executeTakeFirstOrThrow()
  if (task.state === 'succeeded' || task.state === 'failed') return
  const steps = await db
    .selectFrom('task_steps')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('position')
    .execute()
  const record = new TaskRecord(dependencies, task, steps)
  try {
    const definition = kinds.get(task.kind)
    if (!definition || !definition.accepts(record.input)) return await abandon(record)
    await new TaskRun(dependencies, definition, record, signal).finish()
  } finally {
    record.close()
  }
}

/** A task of another version that this one cannot read: it ends, and its site says why. */
async function abandon(record: TaskRecord): Promise<void> {
  const { task } = record
  const error = `This version of the panel does not know how to carry on with ${task.kind}.`
  await record.write(async (transaction) => {
    if (task.site_id !== null) await setSiteState(transaction, task.site_id, 'failed', error)
    await endTask(transaction, task, error)
  })
  await record.announceEnd()
}
