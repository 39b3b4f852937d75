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
