// The panel's own server: its name, its certificate, and the secret by which the API knows this proxy.
import type { PanelAddress } from '../config.ts'
import type { CertificateFiles } from '../certificates/pair.ts'
import { domainValue, integerValue, pathValue, wordValue } from '../render-values.ts'
import {
  acmeLocation,
  listenHttp,
  listenHttps,
  type NginxFeatures,
  type SitePorts,
  tlsSettings,
} from '../web-server/render-listen.ts'
import { block, renderNodes } from '../web-server/render-text.ts'

export interface PanelVhostInput {
  panel: PanelAddress
  ports: SitePorts
  nginx: NginxFeatures
  certificate: CertificateFiles
  acmeChallenges: string
}

const absent = JSON.stringify({
  error:
    'The panel does not answer; the sites are served without it. On the server, systemctl status reeve-api says why.',
  code: 'internal',
})

export function renderPanelVhost({
  panel,
  ports,
  nginx,
  certificate,
  acmeChallenges,
}: PanelVhostInput): string {
  const name = domainValue('panel name', panel.domain)
  const port = integerValue('panel port', panel.port, 1, 65_535)
  const secret = wordValue('proxy secret', panel.proxySecret, /^[0-9a-f]{64}$/)
  const suffix = ports.https === 443 ? '' : `:${ports.https}`
  const challenges = acmeLocation(pathValue('challenge path', acmeChallenges))
  return renderNodes([
    block('server', [
      listenHttp(ports),
      `server_name ${name}`,
      challenges,
      block('location /', [`return 301 https://${name}${suffix}$request_uri`]),
    ]),
    block('server', [
      listenHttps(ports, nginx),
      `server_name ${name}`,
      challenges,
      `ssl_certificate ${pathValue('certificate path', certificate.certificate)}`,
      `ssl_certificate_key ${pathValue('key path', certificate.key)}`,
      tlsSettings,
      // An answer that holds a secret beside what its reader chose must not tell its length (BREACH).
      'gzip off',
      'client_max_body_size 17m',
      // Addresses hold tokens and names of sites.
      'access_log off',
      block('location /', [
        `proxy_pass http://127.0.0.1:${port}`,
        'proxy_http_version 1.1',
        'proxy_set_header Host $host',
        'proxy_set_header X-Forwarded-For $remote_addr',
        `proxy_set_header X-Reeve-Proxy ${secret}`,
        'proxy_set_header Connection ""',
        // The event stream stays open and must not wait for a buffer to fill.
        'proxy_buffering off',
        'proxy_read_timeout 1h',
        // What the API itself answers passes; this is for when there is none.
        'error_page 502 504 @absent',
      ]),
      block('location @absent', ['default_type application/json', `return 502 '${absent}'`]),
    ]),
  ])
}
