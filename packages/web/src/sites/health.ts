import type { Site } from '@reeve/contract/sites.ts'
import type { Health } from '../components/status.tsx'

const healths: Record<Site['state'], Health> = {
  creating: 'working',
  active: 'healthy',
  working: 'working',
  deleting: 'working',
  failed: 'failed',
}

export const healthOfSite = (site: Pick<Site, 'state'>): Health => healths[site.state]

/** False for a site that the server does not have whole: it can be looked at and deleted, nothing else. */
export const isServed = (site: Site): boolean =>
  site.system_user !== null && site.state !== 'creating' && site.state !== 'deleting'
