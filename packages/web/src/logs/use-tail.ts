import type { LogLines } from '@reeve/contract/logs.ts'
import { useQuery } from '@tanstack/react-query'
import { get } from '../lib/api.ts'
import { appendTail, type Tail } from './tail.ts'

const pollMs = 2_000

/** Follows a log by asking for what came after the last answer; it pauses while the tab is hidden. */
export function useTail(path: string, source: string, filter: string, follows: boolean) {
  return useQuery({
    queryKey: ['logs', path, source, filter],
    queryFn: async ({ signal, client, queryKey }): Promise<Tail> => {
      const here = client.getQueryData<Tail>(queryKey)
      const query = new URLSearchParams({ source, lines: '500' })
      if (here?.cursor) query.set('cursor', here.cursor)
      if (filter !== '') query.set('filter', filter)
      return appendTail(here, await get<LogLines>(`${path}?${query}`, signal))
    },
    refetchInterval: follows ? pollMs : false,
    refetchIntervalInBackground: false,
    staleTime: 0,
    // Coming back to a log begins with its end, not with what it was.
    gcTime: 0,
    retry: false,
  })
}
