import { AppError } from '@reeve/contract/errors.ts'
import { type SitePhpChange, updateSitePhp } from '@reeve/contract/php.ts'
import { type SiteSpec, usesPhp } from '@reeve/contract/sites.ts'
import { type Api, route } from '../route.ts'
import { changeSite } from '../sites/change.ts'
import { checkPhpVersion } from '../sites/create.ts'

export function phpRoutes(api: Api): void {
  const { context } = api

  route(api, updateSitePhp, async ({ caller, body, scoped: { site } }) => {
    if (!usesPhp(site.spec.type)) {
      throw new AppError('refused', `${site.spec.domain} is a ${site.spec.type} site and runs no PHP.`)
    }
    const server = await context.capacity.current()
    checkPhpVersion(body.version, server, 'version')
    const after = withPhp(site.spec, body)
    const accepted = await changeSite(context, caller, site, after)
    return { ...accepted, warnings: warningsOf(after, server.php_workers) }
  })
}

/** The document with what the change names; `php_workers: null` goes back to the budget. */
export function withPhp(spec: SiteSpec, change: SitePhpChange): SiteSpec {
  const { php_limits: limits } = spec
  return {
    ...spec,
    php_version: change.version ?? spec.php_version,
    php_workers: change.php_workers === undefined ? spec.php_workers : change.php_workers,
    php_limits: {
      memory_limit_mb: change.memory_limit_mb ?? limits.memory_limit_mb,
      max_execution_s: change.max_execution_s ?? limits.max_execution_s,
      upload_max_mb: change.upload_max_mb ?? limits.upload_max_mb,
    },
  }
}

export function warningsOf(spec: SiteSpec, budget: number): string[] {
  if (spec.php_workers === null || spec.php_workers <= budget) return []
  return [
    `${spec.php_workers} workers are more than the ${budget} that fit in the site's memory budget at 80 MB each. ` +
      'Raising them without measurement can lower throughput on CPU-bound work and cause swapping; ' +
      'the page cache is the effective lever.',
  ]
}
