// A change of a site: the request, then the task that the server answers with, until its end.
import type { getSite, Site } from '@reeve/contract/sites.ts'
import type { Accepted, listTasks, Task } from '@reeve/contract/tasks.ts'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type ApiCall, call, type ResponseOf } from '../lib/api.ts'
import { mergeTask } from '../lib/events.ts'
import { siteQuery, type TaskWithLog, taskQuery } from '../lib/queries.ts'
import { isUnderWay } from '../tasks/running.ts'

interface Order<Answer> {
  call: ApiCall
  /** Told the site as it is once the task has succeeded. */
  onDone?: (after: Site, answer: Answer) => void
}

interface Run<Answer> extends Order<Answer> {
  answer: Answer
  isOver: boolean
}

export interface SiteTaskRun<Answer> {
  start(order: Order<Answer>): void
  isBusy: boolean
  /** The last answer, while its task is under way and after. */
  answer: Answer | undefined
  task: TaskWithLog | undefined
  /** Why the request was refused. */
  refusal: Error | null
  /** Why the task failed; the server has undone it. */
  failure: string | null
}

function adopt(client: QueryClient, siteId: string, task: Task): void {
  client.setQueryData<Site>(['sites', siteId], (old) => old && { ...old, state: 'working', task_id: task.id })
  client.setQueryData<ResponseOf<typeof listTasks>>(
    ['tasks'],
    (old) => old && { tasks: mergeTask(old.tasks, task) },
  )
}

export function useSiteTask<Answer extends Accepted>(siteId: string): SiteTaskRun<Answer> {
  const client = useQueryClient()
  const [run, setRun] = useState<Run<Answer>>()
  const request = useMutation({
    mutationFn: (order: Order<Answer>) => call<Answer>(order.call),
    onMutate: () => setRun(undefined),
    onSuccess: (answer, order) => {
      adopt(client, siteId, answer.task)
      setRun({ ...order, answer, isOver: false })
    },
  })
  const { data: task } = useQuery({
    ...taskQuery(run?.answer.task.id ?? ''),
    enabled: run !== undefined,
  })
  const state = task?.state
  useEffect(() => {
    if (run === undefined || run.isOver || state === undefined || isUnderWay({ state })) return
    const end = async () => {
      // Asked anew: an answer that was under way when the task ended may still be the old one.
      await client.invalidateQueries({ queryKey: ['sites', siteId], exact: true })
      const after = client.getQueryData<ResponseOf<typeof getSite>>(siteQuery(siteId).queryKey)
      if (state === 'succeeded' && after) run.onDone?.(after, run.answer)
      setRun({ ...run, isOver: true })
    }
    void end()
  }, [client, siteId, run, state])
  return {
    start: request.mutate,
    isBusy: request.isPending || (run !== undefined && !run.isOver),
    answer: run?.answer,
    task: run && task,
    refusal: request.error,
    failure: run?.isOver && task?.state === 'failed' ? task.error : null,
  }
}
