import type { Site } from '@reeve/contract/sites.ts'
import type { Health } from '../components/status.tsx'

export const stateFilters = ['all', 'attention', 'working', 'healthy'] as const
export type StateFilter = (typeof stateFilters)[number]

const rank: Record<Health, number> = { failed: 0, attention: 1, working: 2, off: 3, healthy: 4 }

const matchesState = (health: Health, filter: StateFilter): boolean =>
  filter === 'all' ||
  (filter === 'attention' ? health === 'failed' || health === 'attention' : health === filter)

/** The sites to show: what is broken first, then by name. */
export function filterSites(
  sites: readonly Site[],
  healthOf: (site: Site) => Health,
  words: string,
  filter: StateFilter,
): Site[] {
  const needle = words.trim().toLowerCase()
  return sites
    .filter((site) => matchesState(healthOf(site), filter))
    .filter((site) =>
      [site.domain, site.title, ...site.aliases].some((text) => text.toLowerCase().includes(needle)),
    )
    .sort((a, b) => rank[healthOf(a)] - rank[healthOf(b)] || a.domain.localeCompare(b.domain))
}
