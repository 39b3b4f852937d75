// One site's nginx configuration. What it lets through runs as the site's user or is the site's own file.
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { type Domain, type ProxyUpstream, parseUpstream, SiteId } from '@reeve/contract/primitives.ts'
import { isCms, type Profile, type SiteCache, type SiteType, usesPhp } from '@reeve/contract/sites.ts'
import type { Paths } from '../paths.ts'
import { domainValue, integerValue, pathValue, userValue } from '../render-values.ts'
import { connectorLocation } from './render-connector.ts'
import {
  acmeLocation,
  checkFeatures,
  checkPorts,
  listenHttp,
  listenHttps,
  type NginxFeatures,
  portSuffix,
  type SitePorts,
  tlsSettings,
} from './render-listen.ts'
import { phpLocations, phpServer, staticLocations } from './render-locations.ts'
import { cachePath, cachePolicy, type PageCache, purgeServer } from './render-page-cache.ts'
import { proxyLocations, type ProxyRoute, proxyUpstream } from './render-proxy.ts'
import {
  bypassMap,
  bypassVariable,
  ownDirectives,
  passwordPrompt,
  redirectLocations,
  strictTransport,
  throttledHeader,
  type VhostSettings,
} from './render-settings.ts'
import { block, type Node, renderNodes } from './render-text.ts'
import { checkSnippet } from './check-snippet.ts'

export interface VhostInput extends VhostSettings {
  id: SiteId
  domain: Domain
  aliases: readonly Domain[]
  type: SiteType
  profile: Profile
  cache: SiteCache
  /** How long a page that can no longer be made anew is kept. */
  stale_s: number
  user: string
  /** Where the site's FPM pool listens; null when its type runs no PHP. */
  php_socket: string | null
  proxy_upstream: ProxyUpstream | null
  certificate: { chain: string; key: string }
  ports: SitePorts
  nginx: NginxFeatures
  /** Where the API listens on 127.0.0.1. */
  api_port: number
  limits: { upload_max_mb: number; request_timeout_s: number }
}

/** Where nginx looks for a site's files. */
export function documentRoot(paths: Paths, domain: Domain, type: SiteType): string {
  const current = join(paths.site(domain), 'current')
  return type === 'laravel' ? join(current, 'public') : current
}

export const cacheZone = (id: SiteId): string => `reeve_${id}`

export function renderVhost(paths: Paths, input: VhostInput): string {
  check(input)
  const cache = pageCache(paths, input)
  const protocol = input.type === 'proxy' ? 'proxy' : 'fastcgi'
  const proxy = proxyRoute(input)
  return renderNodes([
    cache ? bypassMap(cache.zone, input.cache.bypass_paths) : false,
    cache ? cachePath(protocol, cache) : false,
    proxy ? proxyUpstream(proxy) : false,
    cache && input.nginx.purgeModule ? purgeServer(protocol, cache, purgeSocket(paths), input.id) : false,
    input.https_redirect && redirectServer(paths, input),
    input.redirected_names.map((names) => otherNameServer(paths, input, names)),
    block('server', [
      !input.https_redirect && listenHttp(input.ports),
      listenHttps(input.ports, input.nginx),
      serverName(input),
      certificate(input),
      common(paths, input),
      `root ${pathValue('document root', documentRoot(paths, input.domain, input.type))}`,
      // A site may link to its own files, not to those of others, which nginx could read.
      'disable_symlinks if_not_owner from=$document_root',
      // A form has more than its file.
      `client_max_body_size ${input.limits.upload_max_mb + 1}m`,
      'gzip on',
      responseHeaders(input),
      passwordPrompt(input),
      cache ? cachePolicy(protocol, cache, input.type, input.profile) : false,
      acmeLocation(pathValue('challenge path', paths.acmeChallenges)),
      isCms(input.type) && connectorLocation(input.api_port),
      redirectLocations(input.redirects, ''),
      ownDirectives(input),
      content(input, cache !== undefined),
    ]),
  ])
}

function check(input: VhostInput): void {
  if (!SiteId.safeParse(input.id).success) {
    throw new AppError('refused', 'The site id is not valid, so no configuration was written.', {
      field: 'id',
    })
  }
  domainValue('domain', input.domain)
  for (const alias of input.aliases) domainValue('alias', alias)
  for (const { from, to } of input.redirected_names) {
    const names: readonly string[] = [input.domain, ...input.aliases]
    if (names.includes(from) && names.includes(to)) continue
    throw new AppError('refused', `${from} or ${to} is not a name of this site.`, { field: 'www_redirect' })
  }
  if (input.nginx_snippet !== null) checkSnippet(input.nginx_snippet)
  userValue('system user', input.user)
  checkPorts(input.ports)
  checkFeatures(input.nginx)
  integerValue('cache lifetime', input.cache.ttl_s, 1, 31_536_000)
  integerValue('stale lifetime', input.stale_s, 0, 31_536_000)
  integerValue('upload limit', input.limits.upload_max_mb, 1, 102_400)
  integerValue('request timeout', input.limits.request_timeout_s, 1, 86_400)
}

function pageCache(paths: Paths, input: VhostInput): PageCache | undefined {
  if (!input.cache.enabled || input.type === 'static') return undefined
  return {
    zone: cacheZone(input.id),
    path: pathValue('cache path', paths.pageCache(input.id)),
    ttl_s: input.cache.ttl_s,
    stale_s: input.stale_s,
    bypass: input.cache.bypass_paths.length > 0 ? [bypassVariable(cacheZone(input.id))] : [],
  }
}

const purgeSocket = (paths: Paths): string => pathValue('purge socket', paths.nginxStatusSocket)

function proxyRoute(input: VhostInput): ProxyRoute | undefined {
  if (input.type !== 'proxy') return undefined
  const upstream = parseUpstream(input.proxy_upstream ?? '')
  const hidesCredentials = input.password_file !== null
  if (upstream) return { upstream, name: cacheZone(input.id), hidesCredentials }
  throw new AppError(
    'refused',
    'The proxied address is missing or not valid; give one like http://127.0.0.1:3000.',
    {
      field: 'proxy_upstream',
    },
  )
}

/** The names that pages are served under. */
function serverName({ domain, aliases, redirected_names }: VhostInput): string {
  const served = [domain, ...aliases].filter((name) => !redirected_names.some(({ from }) => from === name))
  return `server_name ${served.join(' ')}`
}

const certificate = (input: VhostInput): Node => [
  `ssl_certificate ${pathValue('certificate path', input.certificate.chain)}`,
  `ssl_certificate_key ${pathValue('certificate key path', input.certificate.key)}`,
  tlsSettings,
]

function redirectServer(paths: Paths, input: VhostInput): Node {
  const origin = `https://$host${portSuffix(input.ports.https, 443)}`
  return block('server', [
    listenHttp(input.ports),
    serverName(input),
    common(paths, input),
    acmeLocation(paths.acmeChallenges),
    redirectLocations(input.redirects, origin),
    block('location /', [`return 301 ${origin}$request_uri`]),
  ])
}

/** Of a name that only leads to another: every address goes to the same one there, in one step. */
function otherNameServer(paths: Paths, input: VhostInput, { from, to }: { from: Domain; to: Domain }): Node {
  const origin = input.https_redirect
    ? `https://${to}${portSuffix(input.ports.https, 443)}`
    : `$scheme://${to}$reeve_port`
  return block('server', [
    listenHttp(input.ports),
    listenHttps(input.ports, input.nginx),
    `server_name ${from}`,
    certificate(input),
    common(paths, input),
    input.hsts && `add_header Strict-Transport-Security $reeve_hsts always`,
    acmeLocation(paths.acmeChallenges),
    redirectLocations(input.redirects, origin),
    block('location /', [`return 301 ${origin}$request_uri`]),
  ])
}

function common(paths: Paths, input: VhostInput): Node {
  const logs = pathValue('log path', paths.siteLogs(input.domain))
  // nginx has a buffer for each site and takes it anew at every reload; what does not fill it waits a second.
  return [`access_log ${logs}/access.log reeve buffer=8k flush=1s`, `error_log ${logs}/error.log error`]
}

/** In the `server` context only: one `add_header` in a location would drop all of these there. */
function responseHeaders(input: VhostInput): Node {
  return [
    'add_header X-Content-Type-Options nosniff always',
    'add_header Referrer-Policy strict-origin-when-cross-origin always',
    'add_header X-Cache $upstream_cache_status always',
    strictTransport(input),
    usesPhp(input.type) && throttledHeader(input),
    input.nginx.http3 && `add_header Alt-Svc 'h3=":${input.ports.https}"; ma=86400' always`,
  ]
}

function content(input: VhostInput, isCached: boolean): Node {
  const proxy = proxyRoute(input)
  if (proxy) return proxyLocations(proxy)
  if (!usesPhp(input.type)) return staticLocations()
  const socket = pathValue('pool socket', input.php_socket ?? '')
  const route = {
    socket,
    type: input.type,
    isCached,
    isLoginLimited: input.login_rate_limit,
    hidesCredentials: input.password_file !== null,
  }
  return [phpServer(route, input.limits.request_timeout_s), phpLocations(route)]
}
