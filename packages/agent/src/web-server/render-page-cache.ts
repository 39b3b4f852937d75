// The page cache of a site: what is stored, under which key, and what goes around it (see `render-maps.ts`).
import type { Profile, SiteType } from '@reeve/contract/sites.ts'
import { isCms } from '@reeve/contract/sites.ts'
import type { Node } from './render-text.ts'

export interface PageCache {
  zone: string
  path: string
  ttl_s: number
  stale_s: number
}

/** In the `http` context, before the servers. Its own directory and zone: limits and purges concern one site. */
export function cachePath(protocol: 'fastcgi' | 'proxy', cache: PageCache): Node {
  const inactive = cache.ttl_s + cache.stale_s
  return [
    [
      `${protocol}_cache_path ${cache.path}`,
      'levels=1:2',
      `keys_zone=${cache.zone}:1m`,
      'max_size=512m',
      // A full disk would stop databases and deployments for the sake of pages that can be made again.
      'min_free=256m',
      `inactive=${inactive}s`,
      'use_temp_path=off',
    ].join(' '),
  ]
}

/** In the `server` context, so that every location that passes requests on shares one policy. */
export function cachePolicy(
  protocol: 'fastcgi' | 'proxy',
  cache: PageCache,
  type: SiteType,
  profile: Profile,
): Node {
  const bypass = skipConditions(type, profile)
  return [
    `${protocol}_cache ${cache.zone}`,
    // No method in the key: HEAD is asked as GET and shares its entry.
    `${protocol}_cache_key "$scheme$host$request_uri$reeve_encoding"`,
    `${protocol}_cache_lock on`,
    `${protocol}_cache_background_update on`,
    `${protocol}_cache_use_stale updating error timeout invalid_header http_500 http_503`,
    isCms(type) && [
      `${protocol}_cache_valid 200 301 ${cache.ttl_s}s`,
      // The encoding is in the key in its two useful forms; nginx would store one copy a spelling.
      `${protocol}_ignore_headers Vary`,
    ],
    `${protocol}_cache_bypass ${bypass}`,
    `${protocol}_no_cache ${bypass}${isCms(type) ? ' $reeve_varies' : ''}`,
  ]
}

function skipConditions(type: SiteType, profile: Profile): string {
  if (!isCms(type)) return '$http_authorization'
  const isShop = type === 'woocommerce' || profile === 'commerce'
  const shop = isShop ? ' $reeve_skip_shop_cookie $reeve_skip_shop_path' : ''
  return `$is_args $reeve_skip_cookie $reeve_skip_path${shop} $http_authorization`
}

/** On locations that serve nothing but cached pages: a release file would be stale for a second after a switch. */
export const openCacheFiles: readonly Node[] = [
  'open_file_cache max=200 inactive=10s',
  // How long a page that the agent removed from the cache can still be served.
  'open_file_cache_valid 1s',
]
