// A site whose pages another server makes.
import type { Upstream } from '@reeve/contract/primitives.ts'
import { block, type Node } from './render-text.ts'

export interface ProxyRoute {
  upstream: Upstream
  /** Name of the upstream block, unique on the server. */
  name: string
  /** The password of nginx's own prompt is not the upstream's to know. */
  hidesCredentials: boolean
}

/**
 * A name in an `upstream` block is looked up when nginx starts, and one that does not resolve then keeps
 * every site from being served. So only addresses go there; other names are looked up request by request.
 */
const isAddress = (host: string): boolean =>
  host === 'localhost' || host.startsWith('[') || /^[0-9.]+$/.test(host)

/** In the `http` context. */
export function proxyUpstream({ upstream, name }: ProxyRoute): Node {
  if (!isAddress(upstream.host)) return []
  return block(`upstream ${name}`, [`server ${upstream.host}:${upstream.port}`, 'keepalive 16'])
}

export function proxyLocations(route: ProxyRoute): Node[] {
  const { upstream, name } = route
  const headers: [string, string][] = [
    ['Host', '$host$reeve_port'],
    ['X-Forwarded-For', '$remote_addr'],
    ['X-Forwarded-Host', '$host$reeve_port'],
    ['X-Forwarded-Proto', '$scheme'],
    ['X-Forwarded-Port', '$server_port'],
    ['X-Real-IP', '$remote_addr'],
    ['Forwarded', '""'],
    ['Proxy', '""'],
    ['Accept-Encoding', '$reeve_encoding'],
    ['Upgrade', '$http_upgrade'],
    ['Connection', '$reeve_connection'],
    ...(route.hidesCredentials ? [['Authorization', '""'] satisfies [string, string]] : []),
  ]
  const direct = isAddress(upstream.host)
  return [
    block('location /', [
      !direct && `set $reeve_upstream ${upstream.host}:${upstream.port}`,
      `proxy_pass ${upstream.protocol}://${direct ? name : '$reeve_upstream'}`,
      'proxy_http_version 1.1',
      headers.map(([header, value]) => `proxy_set_header ${header} ${value}`),
      upstream.protocol === 'https' && [
        'proxy_ssl_server_name on',
        `proxy_ssl_name ${upstream.host.replace(/^\[|\]$/g, '')}`,
      ],
      'proxy_connect_timeout 5s',
      'proxy_read_timeout 300s',
      'proxy_send_timeout 300s',
      'proxy_redirect off',
    ]),
  ]
}
