// Certificates are renewed by the agent's timer, which tells nobody: so the panel looks, and shows what it finds.
import { certificateList } from '@reeve/contract/certificates.ts'
import type { AgentClient } from '../agent-client.ts'
import type { Database } from '../db/types.ts'
import type { EventHub } from '../events.ts'
import { workingTasks } from '../sites/store.ts'
import { storeCertificate } from './store.ts'

export interface RefreshDependencies {
  readonly db: Database
  readonly agent: AgentClient
  readonly events: EventHub
}

export async function refreshCertificates({ db, agent, events }: RefreshDependencies): Promise<void> {
  const { certificates } = await agent.call(certificateList, {})
  const working = await workingTasks(db)
  for (const { site, ...certificate } of certificates) {
    // A task stores what it brought about itself, and may have done so since the agent answered.
    if (working.has(site)) continue
    const isNews = await storeCertificate(db, site, certificate)
    if (isNews)
      events.publish('invalidate', { keys: ['sites', `sites/${site}`] }, { siteId: site, accountId: null })
  }
}
