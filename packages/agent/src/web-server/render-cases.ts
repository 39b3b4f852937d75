// Inputs that the tests of the renderers start from.
import { type Domain, ProxyUpstream, SiteId } from '@reeve/contract/primitives.ts'
import { profileCache } from '@reeve/contract/sites.ts'
import { plainSettings } from './render-settings.ts'
import type { VhostInput } from './render-vhost.ts'

export const debian12 = { version: '1.22.1', http2Directive: false, http3: false, purgeModule: true }
export const newer = { version: '1.26.3', http2Directive: true, http3: true, purgeModule: false }

export const base: VhostInput = {
  ...plainSettings,
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
  api_port: 5252,
  limits: { upload_max_mb: 64, request_timeout_s: 300 },
}
/** Everything at once that an operator can set. */
export const configured: VhostInput = {
  ...base,
  aliases: ['www.example.com' as Domain, 'example.net' as Domain], // literals in their parsed form
  cache: { enabled: true, ttl_s: 60, bypass_paths: ['/feeds/', '/a.b(c)*+!'] },
  redirects: [
    { from: '/old', to: '/new?from=old#top', status: 301 },
    { from: "/it's(1)~", to: 'https://example.org:8443/a%20b', status: 308 },
  ],
  redirected_names: [{ from: 'www.example.com' as Domain, to: 'example.com' as Domain }], // as above
  hsts: true,
  password_file: '/etc/reeve/passwords/sabcdefghijklmno',
  nginx_snippet:
    '# Fonts for another site.\nlocation ~ \\.woff2$ {\n  add_header Access-Control-Allow-Origin *;\n}',
}
export const proxied: VhostInput = {
  ...base,
  type: 'proxy',
  proxy_upstream: ProxyUpstream.parse('http://127.0.0.1:3000'),
}
