import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { TaskId } from './primitives.ts'
import { Task } from './tasks.ts'

/** Payloads of the event stream by event name. A comment line is sent every 15 s to keep it open. */
export const eventPayloads = {
  task: Task,
  'task.log': z.object({ id: TaskId, offset: z.number(), chunk: z.string() }),
  /** Resource keys to read again: `sites`, `sites/<id>`, `tasks`, `users`, `me`, `account/sessions`, or `*` for all. */
  invalidate: z.object({ keys: z.array(z.string()) }),
} as const
export type EventName = keyof typeof eventPayloads
export type EventPayload<Name extends EventName> = z.infer<(typeof eventPayloads)[Name]>

export const streamEvents = endpoint({
  name: 'streamEvents',
  summary: 'Server-sent events: live updates for what the caller may see, replayed from Last-Event-ID',
  method: 'GET',
  path: '/api/events',
  role: 'auth',
  produces: 'event-stream',
})
