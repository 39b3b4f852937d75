import { driftList, driftResolve, listDrift, resolveDrift } from '@reeve/contract/drift.ts'
import { type Api, route } from '../route.ts'

/** Putting a file back reloads what reads it, which waits for running requests. */
const resolveDeadlineMs = 120_000

export function driftRoutes(api: Api): void {
  const { agent, events } = api.context

  route(api, listDrift, async () => await agent.call(driftList, { sweep: true }))

  route(api, resolveDrift, async ({ params, body, audit }) => {
    audit.target = params.id
    const { path, site_id: siteId } = await agent.call(
      driftResolve,
      { id: params.id, action: body.action },
      { deadlineMs: resolveDeadlineMs },
    )
    audit.target = path
    if (siteId !== null) audit.siteId = siteId
    events.publish('invalidate', { keys: ['drift'] }, { siteId: null, accountId: null })
    return {}
  })
}
