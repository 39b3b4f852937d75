import type { getCacheStats } from '@reeve/contract/cache.ts'
import { queryOptions } from '@tanstack/react-query'
import { get, type ResponseOf } from '../lib/api.ts'

export const cacheStatsQuery = (siteId: string) =>
  queryOptions({
    queryKey: ['sites', siteId, 'cache'],
    queryFn: ({ signal }) =>
      get<ResponseOf<typeof getCacheStats>>(`/api/sites/${siteId}/cache-stats`, signal),
    // Visitors move these numbers without anybody being told.
    staleTime: 0,
  })
