// When the panel is killed between asking for a new token and storing its hash, the site has a token that the panel
// does not know: so it looks, and believes what the sites present.
import { connectorList } from '@reeve/contract/cache.ts'
import type { Context } from '../context.ts'
import { listStoredSites, workingTasks } from '../sites/store.ts'
import { replaceToken } from './token.ts'

export async function refreshConnectors({ db, agent }: Pick<Context, 'db' | 'agent'>): Promise<void> {
  const known = new Map((await listStoredSites(db, 'all')).map(({ id, facts }) => [id, facts]))
  const { connectors } = await agent.call(connectorList, {})
  const working = await workingTasks(db)
  for (const { site, connector_token_sha256: now } of connectors) {
    const before = known.get(site)?.connector_token_sha256
    // A task stores what it brought about itself.
    if (before && before !== now && !working.has(site)) await replaceToken(db, site, before, now)
  }
}
