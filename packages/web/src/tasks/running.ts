import type { Task } from '@reeve/contract/tasks.ts'

export const isUnderWay = (task: Pick<Task, 'state'>): boolean =>
  task.state === 'queued' || task.state === 'running' || task.state === 'undoing'
