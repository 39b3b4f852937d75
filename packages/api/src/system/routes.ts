import { getCapacity, getHealth, getOpenApi } from '@reeve/contract/system.ts'
import { type Api, route } from '../route.ts'
import { version } from '../version.ts'
import { openApiDocument } from './openapi.ts'

export function systemRoutes(api: Api): void {
  const { agent, capacity } = api.context

  route(api, getHealth, async () => ({ status: 'ok' as const, version }))

  route(api, getOpenApi, async () => openApiDocument())

  route(api, getCapacity, async () => {
    // What is kept says nothing about the agent, and people read from this answer whether it runs.
    await agent.ping()
    return await capacity.recent()
  })
}
