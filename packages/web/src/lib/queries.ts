// What the screens read, and under which keys. The event stream invalidates by the same keys.
import type { getBootstrap, getMe } from '@reeve/contract/accounts.ts'
import type { getSite, listSites } from '@reeve/contract/sites.ts'
import type { getCapacity } from '@reeve/contract/system.ts'
import type { getTask, listTasks } from '@reeve/contract/tasks.ts'
import { MutationCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError, call, get, type ResponseOf } from './api.ts'
import { appendLog } from './task-log.ts'

export const queryClient: QueryClient = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error) => {
      // The role may have changed while the page was open; the page should take the new one's shape.
      const isRoleRefusal = error instanceof ApiError && error.status === 403 && error.field === undefined
      if (isRoleRefusal) void queryClient.invalidateQueries({ queryKey: ['me'] })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.code === 'network',
    },
    mutations: { retry: false },
  },
})

export type TaskWithLog = ResponseOf<typeof getTask>
export type Capacity = ResponseOf<typeof getCapacity>

export const bootstrapQuery = queryOptions({
  queryKey: ['bootstrap'],
  queryFn: ({ signal }) => get<ResponseOf<typeof getBootstrap>>('/api/bootstrap', signal),
  staleTime: Infinity,
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) =>
    call<ResponseOf<typeof getMe>>({ method: 'GET', path: '/api/me' }, { signal, anonymous: true }),
  staleTime: 60_000,
})

export const sitesQuery = queryOptions({
  queryKey: ['sites'],
  queryFn: ({ signal }) => get<ResponseOf<typeof listSites>>('/api/sites', signal),
  select: (data) => data.sites,
})

export const siteQuery = (id: string) =>
  queryOptions({
    queryKey: ['sites', id],
    queryFn: ({ signal }) => get<ResponseOf<typeof getSite>>(`/api/sites/${id}`, signal),
  })

export const tasksQuery = queryOptions({
  queryKey: ['tasks'],
  queryFn: ({ signal }) => get<ResponseOf<typeof listTasks>>('/api/tasks?limit=100', signal),
  select: (data) => data.tasks,
})

/** Reads only the part of the log that is not here yet. */
export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ['tasks', id],
    queryFn: async ({ signal, client }): Promise<TaskWithLog> => {
      const offset = client.getQueryData<TaskWithLog>(['tasks', id])?.log.length ?? 0
      const task = await get<TaskWithLog>(`/api/tasks/${id}?offset=${offset}`, signal)
      // Chunks may have arrived by the event stream while this answer was under way.
      const here = client.getQueryData<TaskWithLog>(['tasks', id])?.log ?? ''
      return { ...task, log: appendLog(here, offset, task.log) ?? task.log }
    },
  })

export const capacityQuery = queryOptions({
  queryKey: ['system', 'capacity'],
  queryFn: ({ signal }) => get<Capacity>('/api/system/capacity', signal),
  staleTime: 300_000,
})
