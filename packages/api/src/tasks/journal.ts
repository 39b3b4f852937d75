// The task journal: rows in state.db, each change one synced commit. What is written here before and after
// a side effect is all that a restarted process knows.
import { AppError } from '@reeve/contract/errors.ts'
import type { Task, TaskState, TaskStep } from '@reeve/contract/tasks.ts'
import { recordAudit } from '../audit/audit.ts'
import { isUniqueViolation } from '../db/open.ts'
import type { DatabaseOrTransaction, DatabaseTransaction } from '../db/types.ts'
import { newId } from '../ids.ts'
import type { BoundTask } from './definition.ts'

export interface NewTask {
  readonly definition: BoundTask
  readonly input: unknown
  readonly siteId: string | null
  readonly siteDomain: string | null
  readonly actor: string
  readonly actorId: string | null
}

export interface TaskRow {
  readonly id: string
  readonly kind: string
  readonly siteId: string | null
  readonly actorId: string | null
}

const openStates: readonly TaskState[] = ['queued', 'running', 'undoing']

/** Refuses with `conflict` while another task works on the same site. */
export async function insertTask(transaction: DatabaseTransaction, task: NewTask): Promise<string> {
  const id = newId('t')
  const now = new Date().toISOString()
  try {
    await transaction
      .insertInto('tasks')
      .values({
        id,
        kind: task.definition.kind,
        site_id: task.siteId,
        site_domain: task.siteDomain,
        state: 'queued',
        actor: task.actor,
        actor_id: task.actorId,
        input: JSON.stringify(task.input),
        created_at: now,
      })
      .execute()
  } catch (error) {
    if (isUniqueViolation(error)) throw await busySite(transaction, task)
    throw error
  }
  const steps = task.definition.stepNames.map((name, position) => {
    const substeps = task.definition.substeps(position, task.input)
    const shown = substeps?.map((substep) => pendingStep(substep))
    return { ...pendingStep(name), task_id: id, position, shown: shown ? JSON.stringify(shown) : null }
  })
  if (steps.length > 0) await transaction.insertInto('task_steps').values(steps).execute()
  return id
}

async function busySite(transaction: DatabaseTransaction, task: NewTask): Promise<AppError> {
  const first = await transaction
    .selectFrom('tasks')
    .select(['id', 'kind'])
    .where('site_id', '=', task.siteId)
    .where('state', 'in', openStates)
    .executeTakeFirst()
  return new AppError(
    'conflict',
    `${task.siteDomain ?? 'The site'} is being worked on by ${first?.kind ?? 'another task'} (${first?.id}). ` +
      'Wait until it has finished.',
    { task_id: first?.id },
  )
}

const pendingStep = (name: string): TaskStep => ({
  name,
  state: 'pending',
  started_at: null,
  finished_at: null,
})

export async function readTask(db: DatabaseOrTransaction, id: string): Promise<Task | undefined> {
  return (await readTasks(db, (query) => query.where('id', '=', id)))[0]
}

const selectTasks = (db: DatabaseOrTransaction) =>
  db
    .selectFrom('tasks')
    .select([
      'id',
      'kind',
      'site_id',
      'site_domain',
      'state',
      'error',
      'actor',
      'created_at',
      'started_at',
      'finished_at',
    ])
type TaskQuery = ReturnType<typeof selectTasks>

/** Newest first. */
export async function readTasks(
  db: DatabaseOrTransaction,
  narrow: (query: TaskQuery) => TaskQuery,
): Promise<Task[]> {
  const rows = await narrow(selectTasks(db)).orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
  if (rows.length === 0) return []
  const steps = await db
    .selectFrom('task_steps')
    .selectAll()
    .where(
      'task_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('position')
    .execute()
  const byTask = Map.groupBy(steps, (step) => step.task_id)
  return rows.map((row) => {
    const shown = (byTask.get(row.id) ?? []).flatMap(shownSteps)
    return { ...row, progress: progressOf(row.state, shown), steps: shown }
  })
}

type StepRow = TaskStep & { shown: string | null }

function shownSteps(step: StepRow): TaskStep[] {
  // `shown` was written by this module from TaskStep values.
  if (step.shown !== null) return JSON.parse(step.shown) as TaskStep[]
  const { name, state, started_at, finished_at } = step
  return [{ name, state, started_at, finished_at }]
}

function progressOf(state: TaskState, steps: readonly TaskStep[]): number {
  if (state === 'succeeded' || steps.length === 0) return 1
  const done = steps.filter((step) => step.state === 'succeeded').length
  return Math.round((done / steps.length) * 1000) / 1000
}

export async function setTaskState(
  db: DatabaseOrTransaction,
  id: string,
  state: 'running' | 'undoing',
  error: string | null = null,
): Promise<void> {
  const now = new Date().toISOString()
  await db
    .updateTable('tasks')
    .set((builder) => ({ state, error, started_at: builder.fn.coalesce('started_at', builder.val(now)) }))
    .where('id', '=', id)
    .execute()
}

export async function setStepState(
  db: DatabaseOrTransaction,
  taskId: string,
  position: number,
  state: TaskStep['state'],
  shown: readonly TaskStep[] | undefined,
): Promise<void> {
  const now = new Date().toISOString()
  await db
    .updateTable('task_steps')
    .set({
      state,
      ...(state === 'running' ? { started_at: now, finished_at: null } : { finished_at: now }),
      ...(shown ? { shown: JSON.stringify(shown) } : {}),
    })
    .where('task_id', '=', taskId)
    .where('position', '=', position)
    .execute()
}

/** Ends the task, failed when there is an `error`, and forgets its input, which may hold secrets. */
export async function endTask(
  transaction: DatabaseTransaction,
  task: { id: string; kind: string; actor: string; site_id: string | null; site_domain: string | null },
  error: string | null,
): Promise<void> {
  const state = error === null ? 'succeeded' : 'failed'
  await transaction
    .updateTable('tasks')
    .set({ state, error, input: null, finished_at: new Date().toISOString() })
    .where('id', '=', task.id)
    .execute()
  await recordAudit(transaction, {
    actor: task.actor,
    action: task.kind,
    target: task.site_domain,
    site_id: task.site_id,
    address: null,
    result: error === null ? 'ok' : 'failed',
    status: null,
    reason: error,
    request_id: null,
  })
}

export async function readUnfinished(db: DatabaseOrTransaction) {
  return await db
    .selectFrom('tasks')
    .select(['id'])
    .where('state', 'in', openStates)
    .orderBy('created_at')
    .execute()
}

const tasksKept = 2000

/** Forgets the oldest finished tasks; run daily. */
export async function deleteOldTasks(db: DatabaseOrTransaction): Promise<void> {
  await db
    .deleteFrom('tasks')
    .where('state', 'in', ['succeeded', 'failed'])
    .where('id', 'not in', (builder) =>
      builder.selectFrom('tasks').select('id').orderBy('created_at', 'desc').limit(tasksKept),
    )
    .execute()
}
