import { getCapacity, getHealth, getOpenApi } from '@reeve/contract/system.ts'
import { type Api, route } from '../route.ts'
import { version } from '../version.ts'
import { openApiDocument } from './openapi.ts'

export function systemRoutes(api: Api): void {
  const { capacity } = api.context

  route(api, getHealth, async () => ({ status: 'ok' as const, version }))

  route(api, getOpenApi, async () => openApiDocument())

  route(api, getCapacity, () => capacity.recent())
}
