import type { PurgeTarget } from '@reeve/contract/cache.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'

/** The agent refuses them as well; here the answer comes before anything is asked of it. */
export function refuseForeignHosts({ domain, aliases }: SiteSpec, target: PurgeTarget): void {
  if ('all' in target) return
  const names: readonly string[] = [domain, ...aliases]
  for (const text of target.urls) {
    const host = URL.parse(text)?.hostname
    if (host !== undefined && names.includes(host)) continue
    throw new AppError(
      'refused',
      `${host || `"${text}"`} is not a name of ${domain}, so nothing was purged.`,
      {
        field: 'urls',
        ...(host ? { host } : {}),
      },
    )
  }
}

const mostUrls = 500

/** One target that covers both. */
export function mergeTargets(first: PurgeTarget, second: PurgeTarget): PurgeTarget {
  if ('all' in first || 'all' in second) return { all: true }
  const urls = [...new Set([...first.urls, ...second.urls])]
  if (urls.length > mostUrls) return { all: true }
  const listings = [...new Set([...(first.listings ?? []), ...(second.listings ?? [])])]
  return listings.length === 0 ? { urls } : { urls, listings: listings.slice(0, 50) }
}
