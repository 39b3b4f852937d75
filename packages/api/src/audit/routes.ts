import { auditRead, listAudit } from '@reeve/contract/audit.ts'
import { type Api, route } from '../route.ts'

export function auditRoutes(api: Api): void {
  const { agent, audit } = api.context

  route(api, listAudit, async ({ query }) => {
    await agent.ping()
    await audit.flush()
    return await agent.call(auditRead, query)
  })
}
