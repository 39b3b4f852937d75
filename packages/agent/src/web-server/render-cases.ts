// Inputs that the tests of the renderers start from.
import { type Domain, ProxyUpstream, SiteId } from '@reeve/contract/primitives.ts'
import { profileCache } from '@reeve/contract/sites.ts'
import type { VhostInput } from './render-vhost.ts'

export const debian12 = { version: '1.22.1', http2Directive: false, http3: false, purgeModule: true }
export const newer = { version: '1.26.3', http2Directive: true, http3: true, purgeModule: false }

export const base: VhostInput = {
  id: SiteId.parse('sabcdefghijklmno'),
  domain: 'example.com' as Domain, // a literal in its parsed form
  aliases: [],
  type: 'wordpress',
  profile: 'balanced',
  cache: { enabled: true, ttl_s: profileCache.balanced.ttl_s, bypass_paths: [] },
  stale_s: profileCache.balanced.stale_s,
  user: 'site-1',
  php_socket: '/run/php/site-1-8.2.sock',
  proxy_upstream: null,
  certificate: {
    chain: '/etc/reeve/tls/sabcdefghijklmno/chain.pem',
    key: '/etc/reeve/tls/sabcdefghijklmno/key.pem',
  },
  ports: { http: 80, https: 443, ipv6: true },
  nginx: debian12,
  limits: { upload_max_mb: 64, request_timeout_s: 300 },
}
export const proxied: VhostInput = {
  ...base,
  type: 'proxy',
  proxy_upstream: ProxyUpstream.parse('http://127.0.0.1:3000'),
}
