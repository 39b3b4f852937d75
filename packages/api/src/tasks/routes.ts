import { getTask, listTasks } from '@reeve/contract/tasks.ts'
import { type Api, route } from '../route.ts'
import { notFound } from '../scope.ts'
import { readTask, readTasks } from './journal.ts'
import { readTaskLog } from './task-log.ts'
import { tasksVisibleTo } from './visible.ts'

export function taskRoutes(api: Api): void {
  const { db } = api.context

  route(api, listTasks, async ({ caller, query }) => {
    const tasks = await readTasks(db, (rows) => {
      let narrowed = rows.limit(query.limit)
      if (query.site_id !== undefined) narrowed = narrowed.where('site_id', '=', query.site_id)
      if (query.state !== undefined) narrowed = narrowed.where('state', '=', query.state)
      return narrowed.where(tasksVisibleTo(caller))
    })
    return { tasks }
  })

  route(api, getTask, async ({ scoped, query }) => {
    const task = await readTask(db, scoped.task.id)
    if (!task) throw notFound()
    return { ...task, ...(await readTaskLog(db, task.id, query.offset)) }
  })
}
