// The page cache of a site: what is stored, under which key, and what goes around it (see `render-maps.ts`).
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { Profile, SiteType } from '@reeve/contract/sites.ts'
import { isCms } from '@reeve/contract/sites.ts'
import { block, type Node } from './render-text.ts'

export interface PageCache {
  zone: string
  path: string
  ttl_s: number
  stale_s: number
  /** Variables that are not empty for a request that goes around the cache. */
  bypass: readonly string[]
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

/**
 * A server of its own on the socket that only root can open: the agent names the site and the key, and the page is
 * forgotten at once, also by workers that hold its file open.
 */
export function purgeServer(
  protocol: 'fastcgi' | 'proxy',
  cache: PageCache,
  socket: string,
  id: SiteId,
): Node {
  return block('server', [
    `listen unix:${socket}`,
    `server_name ${id}`,
    'access_log off',
    block('location /', [`${protocol}_cache_purge ${cache.zone} $http_x_reeve_key`]),
  ])
}

/** In the `http` context: what all page caches have in common. */
export const sharedCachePolicy: readonly Node[] = (['fastcgi', 'proxy'] as const).flatMap((protocol) => [
  // No method in the key: HEAD is asked as GET and shares its entry.
  `${protocol}_cache_key "$scheme$host$request_uri$reeve_encoding"`,
  `${protocol}_cache_lock on`,
  `${protocol}_cache_background_update on`,
  `${protocol}_cache_use_stale updating error timeout invalid_header http_500 http_503`,
])

/** In the `server` context, so that every location that passes requests on shares one policy. */
export function cachePolicy(
  protocol: 'fastcgi' | 'proxy',
  cache: PageCache,
  type: SiteType,
  profile: Profile,
): Node {
  const bypass = [skipConditions(type, profile), ...cache.bypass].join(' ')
  return [
    `${protocol}_cache ${cache.zone}`,
    isCms(type) && [
      `${protocol}_cache_valid 200 301 ${cache.ttl_s}s`,
      // The encoding is in the key in its two useful forms; nginx would store one copy a spelling.
      `${protocol}_ignore_headers Vary`,
      // For the agent, which finds them in the stored page.
      `${protocol}_hide_header X-Reeve-Lists`,
    ],
    `${protocol}_cache_bypass ${bypass}`,
    `${protocol}_no_cache ${bypass}${isCms(type) ? ' $reeve_varies' : ''}`,
  ]
}

function skipConditions(type: SiteType, profile: Profile): string {
  if (!isCms(type)) return '$http_authorization'
  const isShop = type === 'woocommerce' || profile === 'commerce'
  const shop = isShop ? ' $reeve_skip_shop_cookie $reeve_skip_shop_path' : ''
  // The header asks for measurements, which a stored page cannot give.
  return `$reeve_skip_spelling $reeve_skip_cookie $reeve_skip_path${shop} $http_authorization $http_x_reeve_probe`
}

/** On locations that serve nothing but cached pages: a release file would be stale for a second after a switch. */
export const openCacheFiles: readonly Node[] = [
  'open_file_cache max=200 inactive=10s',
  // How long a page can still be served when its file was removed without asking nginx to purge it.
  'open_file_cache_valid 1s',
]
