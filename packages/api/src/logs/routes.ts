import { getServerLog, getSiteLog, logsServer, logsSite } from '@reeve/contract/logs.ts'
import type { z } from 'zod'
import { type Api, route } from '../route.ts'

/** Open ends of a query are nulls of an operation. */
const tail = ({
  lines,
  cursor,
  filter,
}: Pick<z.output<typeof getSiteLog.query>, 'lines' | 'cursor' | 'filter'>) => ({
  lines,
  cursor: cursor ?? null,
  filter: filter ?? null,
})

export function logRoutes(api: Api): void {
  const { agent } = api.context

  route(api, getServerLog, async ({ query }) => {
    return await agent.call(logsServer, { ...tail(query), source: query.source })
  })

  route(api, getSiteLog, async ({ query, scoped: { site } }) => {
    return await agent.call(logsSite, { ...tail(query), source: query.source, id: site.id })
  })
}
