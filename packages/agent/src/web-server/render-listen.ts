// Ports, TLS and the features of the installed nginx: what every server block of ours has in common.
import { integerValue, wordValue } from '../render-values.ts'
import { block, type Node } from './render-text.ts'

export interface SitePorts {
  http: number
  https: number
  /** Listen on `[::]` too. A kernel without IPv6 refuses the whole configuration otherwise. */
  ipv6: boolean
}

export interface NginxFeatures {
  /** As `nginx -v` prints it: `1.22.1`. */
  version: string
  /** `http2 on;` (nginx ≥ 1.25.1) instead of the `http2` parameter of `listen`. */
  http2Directive: boolean
  http3: boolean
  purgeModule: boolean
}

export function checkPorts(ports: SitePorts): void {
  integerValue('HTTP port', ports.http, 1, 65_535)
  integerValue('HTTPS port', ports.https, 1, 65_535)
  if (ports.http === ports.https) integerValue('HTTPS port (it equals the HTTP port)', Number.NaN, 1, 65_535)
}

export function checkFeatures(features: NginxFeatures): void {
  wordValue('nginx version', features.version, /^[0-9]+\.[0-9]+\.[0-9]+$/)
}

const addresses = (port: number, ipv6: boolean): string[] => [String(port), ...(ipv6 ? [`[::]:${port}`] : [])]

export function listenHttp(ports: SitePorts, parameters = ''): Node[] {
  return addresses(ports.http, ports.ipv6).map((address) => `listen ${address}${parameters}`)
}

/** Where an address without a scheme leads: this server's own port, said when it is not the usual one. */
export const portSuffix = (port: number, usual: number): string => (port === usual ? '' : `:${port}`)

/** `parameters` go to the sockets that are opened once, by the default server. */
export function listenHttps(ports: SitePorts, features: NginxFeatures, parameters = ''): Node[] {
  const onAddresses = addresses(ports.https, ports.ipv6)
  const http2 = features.http2Directive ? '' : ' http2'
  return [
    ...onAddresses.map((address) => `listen ${address} ssl${http2}${parameters}`),
    // `reuseport` belongs on one listen of each address: without it QUIC packets reach the wrong worker.
    features.http3 &&
      onAddresses.map((address) => `listen ${address} quic${parameters && ' default_server reuseport'}`),
    features.http2Directive && 'http2 on',
    features.http3 && 'http3 on',
  ]
}

// Mozilla's "intermediate" list.
const ciphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
]

/** Said in every server: the distribution's nginx.conf sets its own for others. */
export const tlsSettings: readonly Node[] = ['ssl_protocols TLSv1.2 TLSv1.3', 'ssl_prefer_server_ciphers off']

/** In the `http` context. */
export const sharedTlsSettings: readonly Node[] = [
  `ssl_ciphers ${ciphers.join(':')}`,
  'ssl_session_cache shared:reeve_tls:10m',
  'ssl_session_timeout 1d',
  // A ticket key lives as long as the master: forward secrecy would end with it.
  'ssl_session_tickets off',
]

/** First in every server of ours: no redirect, password or cache may stand before a challenge. */
export function acmeLocation(challenges: string): Node {
  return block('location ^~ /.well-known/acme-challenge/', [
    `alias ${challenges}/`,
    'default_type text/plain',
    block('types', []),
    'auth_basic off',
    'allow all',
    'access_log off',
  ])
}
