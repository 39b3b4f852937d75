import type { Task } from '@reeve/contract/tasks.ts'
import { useQuery } from '@tanstack/react-query'
import { tasksQuery } from '../lib/queries.ts'

/** The recent tasks of one site, newest first. */
export function useTasksOf(siteId: string): Task[] {
  const { data: tasks = [] } = useQuery(tasksQuery)
  return tasks.filter((task) => task.site_id === siteId)
}
