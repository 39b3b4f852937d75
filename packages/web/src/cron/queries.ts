import type { listCronJobs } from '@reeve/contract/cron.ts'
import { queryOptions } from '@tanstack/react-query'
import { get, type ResponseOf } from '../lib/api.ts'

const whileRunningMs = 2_000
const otherwiseMs = 30_000

export const cronQuery = (siteId: string) =>
  queryOptions({
    queryKey: ['sites', siteId, 'cron'],
    queryFn: ({ signal }) => get<ResponseOf<typeof listCronJobs>>(`/api/sites/${siteId}/cron`, signal),
    select: (data) => data.jobs,
    staleTime: 0,
    // Runs begin and end by the clock, without anybody being told.
    refetchInterval: ({ state }) =>
      state.data?.jobs.some((job) => job.last_run?.outcome === 'running') ? whileRunningMs : otherwiseMs,
  })
