// What is checked between the request and the document of a new site.
import { AppError } from '@reeve/contract/errors.ts'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import { type CreateSite, isCms, profileCache, SiteSpec, usesPhp } from '@reeve/contract/sites.ts'
import { newId } from '../ids.ts'
import type { SystemDescription } from '../system/capacity.ts'

const missing = (field: string, why: string) => new AppError('invalid_request', `${field} ${why}`, { field })

/** Which fields go with which type. */
export function checkFields(body: CreateSite): void {
  for (const field of ['admin_email', 'admin_user', 'admin_password'] as const) {
    const isGiven = body[field] !== undefined
    if (isCms(body.type) && !isGiven) throw missing(field, `is needed for a ${body.type} site.`)
    if (!isCms(body.type) && isGiven) throw missing(field, `is only for WordPress and WooCommerce sites.`)
  }
  const isProxy = body.type === 'proxy'
  if (isProxy && body.proxy_upstream === undefined)
    throw missing('proxy_upstream', 'is needed for a proxy site.')
  if (!isProxy && body.proxy_upstream !== undefined)
    throw missing('proxy_upstream', 'is only for proxy sites.')
  for (const field of ['php_version', 'php_workers'] as const) {
    if (!usesPhp(body.type) && body[field] !== undefined)
      throw missing(field, 'is only for sites that run PHP.')
  }
  if (!usesPhp(body.type) && body.object_cache === true) {
    throw missing('object_cache', 'is only for sites that run PHP.')
  }
}

export function checkPhpVersion(
  version: PhpVersion | undefined,
  server: SystemDescription,
  field: string,
): void {
  if (version === undefined || server.php_versions.includes(version)) return
  throw new AppError(
    'refused',
    `PHP ${version} has no FPM binary on this server. Choose one of: ${server.php_versions.join(', ') || 'none'}.`,
    { field, available: server.php_versions },
  )
}

export function buildSpec(body: CreateSite): SiteSpec {
  const isShop = body.type === 'woocommerce' || body.profile === 'commerce'
  return SiteSpec.parse({
    id: newId('s'),
    domain: body.domain,
    aliases: body.aliases ?? [],
    type: body.type,
    profile: body.profile,
    title: body.title ?? body.domain,
    admin_email: body.admin_email ?? null,
    admin_user: body.admin_user ?? null,
    object_cache: usesPhp(body.type) && (body.object_cache ?? isShop),
    php_version: body.php_version ?? null,
    php_workers: body.php_workers ?? null,
    proxy_upstream: body.proxy_upstream ?? null,
    cache: { enabled: true, ttl_s: profileCache[body.profile].ttl_s },
  })
}
