// What is known of one running task: its steps and log, written to the journal and announced. Writes go one
// after the other, each in one synced transaction; what is announced has been committed before.
import type { TaskStep } from '@reeve/contract/tasks.ts'
import type { Selectable } from 'kysely'
import type { DatabaseTransaction, Schema } from '../db/types.ts'
import type { Audience } from '../events.ts'
import { describeError } from '../log.ts'
import { readTask, setStepState } from './journal.ts'
import type { RunnerDependencies } from './runner.ts'
import { moveStep, settleShown } from './shown-steps.ts'
import { createTaskLog, storeLog, type TaskLog } from './task-log.ts'

export type TaskFields = Pick<
  Selectable<Schema['tasks']>,
  | 'id'
  | 'kind'
  | 'site_id'
  | 'site_domain'
  | 'state'
  | 'input'
  | 'error'
  | 'actor'
  | 'actor_id'
  | 'log_length'
>

export interface RecordedStep {
  readonly name: string
  state: TaskStep['state']
  /** The steps shown in its place. */
  readonly shown: TaskStep[] | undefined
}

const gatherMs = 50

export class TaskRecord {
  readonly task: TaskFields
  readonly steps: readonly RecordedStep[]
  readonly #dependencies: RunnerDependencies
  readonly #log: TaskLog
  readonly #movedSteps = new Set<number>()
  #timer: NodeJS.Timeout | undefined
  #writes: Promise<unknown> = Promise.resolve()
  /** Whether the site is still there for its members to see the task by. */
  #isSiteGone = false

  constructor(
    dependencies: RunnerDependencies,
    task: TaskFields,
    steps: readonly Selectable<Schema['task_steps']>[],
  ) {
    this.#dependencies = dependencies
    this.task = task
    this.#log = createTaskLog(task.log_length)
    this.steps = steps.map(({ name, state, shown }) => ({
      name,
      state,
      // `shown` was written by the journal from TaskStep values.
      shown: shown === null ? undefined : (JSON.parse(shown) as TaskStep[]),
    }))
  }

  get input(): unknown {
    const input: unknown = JSON.parse(this.task.input ?? 'null')
    return input
  }

  append(text: string): void {
    this.#log.append(text)
    this.#writeSoon()
  }

  /** Moves a step that the agent reported; one that was not announced is not shown. */
  moveShown(position: number, name: string, state: TaskStep['state']): void {
    const shown = this.steps[position]?.shown?.find((step) => step.name === name)
    if (!shown) return
    moveStep(shown, state)
    this.#movedSteps.add(position)
    this.#writeSoon()
  }

  /** Journals a step's state; when it resolves, that is on the disk. */
  async mark(position: number, state: TaskStep['state']): Promise<void> {
    const step = this.steps[position]
    if (!step) return
    step.state = state
    for (const shown of step.shown ?? []) settleShown(shown, state)
    this.#movedSteps.delete(position)
    await this.write((transaction) => setStepState(transaction, this.task.id, position, state, step.shown))
    await this.announce()
  }

  /** Commits `more` together with what was gathered. */
  async write(more?: (transaction: DatabaseTransaction) => Promise<void>): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const write = this.#writes.then(() => this.#writeNow(more))
    // A write that failed is its caller's affair; the next one goes ahead.
    this.#writes = write.catch(() => {})
    await write
  }

  async #writeNow(more: ((transaction: DatabaseTransaction) => Promise<void>) | undefined): Promise<void> {
    const { db, events } = this.#dependencies
    const chunk = this.#log.peek()
    const moved = [...this.#movedSteps]
    if (!chunk && moved.length === 0 && !more) return
    await db.transaction().execute(async (transaction) => {
      for (const position of moved) await this.#storeShown(transaction, position)
      if (chunk) await storeLog(transaction, this.task.id, chunk)
      await more?.(transaction)
    })
    for (const position of moved) this.#movedSteps.delete(position)
    if (chunk) {
      this.#log.written(chunk)
      events.publish('task.log', { id: this.task.id, ...chunk }, this.#audience())
    }
    if (moved.length > 0) await this.announce()
  }

  async #storeShown(transaction: DatabaseTransaction, position: number): Promise<void> {
    await transaction
      .updateTable('task_steps')
      .set({ shown: JSON.stringify(this.steps[position]?.shown) })
      .where('task_id', '=', this.task.id)
      .where('position', '=', position)
      .execute()
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.write().catch((error: unknown) =>
        this.#dependencies.log('task not written', { task: this.task.id, error: describeError(error) }),
      )
    }, gatherMs)
  }

  async announce(): Promise<void> {
    const task = await readTask(this.#dependencies.db, this.task.id)
    if (task) this.#dependencies.events.publish('task', task, this.#audience())
  }

  /** Tells everybody who saw the task that it has ended. */
  async announceEnd(): Promise<void> {
    const { db, events } = this.#dependencies
    const { site_id } = this.task
    if (site_id !== null) {
      const site = await db.selectFrom('sites').select('id').where('id', '=', site_id).executeTakeFirst()
      this.#isSiteGone = site === undefined
    }
    await this.announce()
    const keys = ['sites', 'tasks', ...(site_id === null ? [] : [`sites/${site_id}`])]
    events.publish('invalidate', { keys }, this.#audience())
  }

  /** Stops the timer; for a run that does not come to its end. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  // Who asked sees a task by that only where no site says who may see it.
  #audience(): Audience {
    const { site_id, actor_id } = this.task
    return { siteId: site_id, accountId: site_id === null || this.#isSiteGone ? actor_id : null }
  }
}
