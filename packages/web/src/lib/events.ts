// Live updates: applies what the event stream says to the query cache.
import type { EventPayload } from '@reeve/contract/events.ts'
import type { listTasks, Task } from '@reeve/contract/tasks.ts'
import type { QueryClient } from '@tanstack/react-query'
import type { ResponseOf } from './api.ts'
import type { TaskWithLog } from './queries.ts'
import { appendLog } from './task-log.ts'

export type StreamEvent =
  | { name: 'task'; data: EventPayload<'task'> }
  | { name: 'task.log'; data: EventPayload<'task.log'> }
  | { name: 'invalidate'; data: EventPayload<'invalidate'> }

type TaskList = ResponseOf<typeof listTasks>

/** Newest first, one entry a task. */
export function mergeTask(tasks: readonly Task[], changed: Task): Task[] {
  const known = tasks.some((task) => task.id === changed.id)
  return known ? tasks.map((task) => (task.id === changed.id ? changed : task)) : [changed, ...tasks]
}

const isOver = (task: Task): boolean => task.state === 'succeeded' || task.state === 'failed'

/** Reads again. A first answer that is under way is waited for, not replaced: it may be older than the event. */
function refresh(client: QueryClient, queryKey: readonly string[]): void {
  const underWay = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })
  const isFirst = underWay.some((query) => query.state.data === undefined)
  const answered = client.invalidateQueries({ queryKey })
  if (isFirst) void answered.then(() => client.invalidateQueries({ queryKey }))
}

function applyTask(client: QueryClient, task: Task): void {
  client.setQueryData<TaskList>(['tasks'], (old) => old && { tasks: mergeTask(old.tasks, task) })
  client.setQueryData<TaskWithLog>(['tasks', task.id], (old) => old && { ...old, ...task })
  if (task.state === 'queued' || isOver(task)) refresh(client, ['sites'])
  // The last lines may have been written after the last chunk was sent.
  if (isOver(task)) refresh(client, ['tasks', task.id])
}

function applyLog(client: QueryClient, { id, offset, chunk }: EventPayload<'task.log'>): void {
  const old = client.getQueryData<TaskWithLog>(['tasks', id])
  if (!old) return
  const log = appendLog(old.log, offset, chunk)
  if (log === undefined) refresh(client, ['tasks', id])
  else client.setQueryData<TaskWithLog>(['tasks', id], { ...old, log, log_offset: log.length })
}

export function applyEvent(client: QueryClient, event: StreamEvent): void {
  switch (event.name) {
    case 'task':
      return applyTask(client, event.data)
    case 'task.log':
      return applyLog(client, event.data)
    case 'invalidate':
      for (const key of event.data.keys) {
        refresh(client, key === '*' ? [] : key.split('/'))
      }
  }
}
