import { cachePurge, connectorPurge, connectorRotate, rotateConnectorToken } from '@reeve/contract/cache.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { SiteId } from '@reeve/contract/primitives.ts'
import { isCms } from '@reeve/contract/sites.ts'
import { announceCache } from '../cache/announce.ts'
import { refuseForeignHosts } from '../cache/targets.ts'
import { type Api, route } from '../route.ts'
import { refuseUnserved } from '../sites/change.ts'
import { findSite, setSiteFacts } from '../sites/store.ts'
import { createPurgeQueue } from './purge-queue.ts'

export function connectorRoutes(api: Api): void {
  const { context } = api
  const queue = createPurgeQueue((id, target) =>
    context.agent.call(cachePurge, { id: SiteId.parse(id), target }),
  )

  route(api, connectorPurge, async ({ scoped: { site }, body }) => {
    refuseUnserved(site)
    refuseForeignHosts(site.spec, body)
    const purged = await queue.add(site.id, body)
    announceCache(context, site.id)
    return purged
  })

  route(api, rotateConnectorToken, async ({ scoped: { site } }) => {
    refuseUnserved(site)
    if (!isCms(site.spec.type)) {
      throw new AppError('refused', `${site.spec.domain} is a ${site.spec.type} site and has no connector.`)
    }
    const { connector_token_sha256 } = await context.agent.call(connectorRotate, { id: site.id })
    await context.db.transaction().execute(async (transaction) => {
      const now = await findSite(transaction, site.id)
      if (now?.facts) await setSiteFacts(transaction, site.id, { ...now.facts, connector_token_sha256 })
    })
    announceCache(context, site.id)
    return {}
  })
}
