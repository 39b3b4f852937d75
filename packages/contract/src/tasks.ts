import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { SiteId, TaskId, Timestamp } from './primitives.ts'

export const TaskState = z.enum(['queued', 'running', 'undoing', 'succeeded', 'failed'])
export type TaskState = z.infer<typeof TaskState>

export const TaskStep = z.object({
  name: z.string(),
  state: z.enum(['pending', 'running', 'succeeded', 'failed', 'undone']),
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
})
export type TaskStep = z.infer<typeof TaskStep>

export const Task = z.object({
  id: TaskId,
  /** `<capability>.<verb>`, e.g. `site.create`. */
  kind: z.string(),
  site_id: SiteId.nullable(),
  /** The domain, kept so that the task of a deleted site still says which one it was. */
  site_domain: z.string().nullable(),
  state: TaskState,
  /** 0..1, the share of steps that are done. */
  progress: z.number(),
  steps: z.array(TaskStep),
  /** What went wrong, in a sentence. */
  error: z.string().nullable(),
  /** E-mail of the account that asked, or `system`. */
  actor: z.string(),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
})
export type Task = z.infer<typeof Task>

/** The answer of every long operation. */
export const Accepted = z.object({ task: Task })
export type Accepted = z.infer<typeof Accepted>

export const listTasks = endpoint({
  name: 'listTasks',
  summary: 'Recent tasks, newest first',
  method: 'GET',
  path: '/api/tasks',
  role: 'auth',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    site_id: SiteId.optional(),
    state: TaskState.optional(),
  }),
  response: z.object({ tasks: z.array(Task) }),
})

export const getTask = endpoint({
  name: 'getTask',
  summary: 'One task with its log from an offset on',
  method: 'GET',
  path: '/api/tasks/{id}',
  role: 'auth',
  scope: 'task',
  params: z.strictObject({ id: TaskId }),
  query: z.strictObject({ offset: z.coerce.number().int().min(0).default(0) }),
  response: Task.extend({
    /** The log from `offset` on. */
    log: z.string(),
    /** The offset to ask for next time, in UTF-16 code units. */
    log_offset: z.number(),
  }),
})
