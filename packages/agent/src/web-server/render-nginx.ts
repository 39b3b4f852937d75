// The configuration that belongs to no site: the embedded main file, what all vhosts use, and the generation.
import type { Paths } from '../paths.ts'
import { integerValue, pathValue, wordValue } from '../render-values.ts'
import { connectorLimit } from './render-connector.ts'
import { fastcgiParams } from './render-locations.ts'
import {
  checkFeatures,
  checkPorts,
  listenHttp,
  listenHttps,
  type NginxFeatures,
  portSuffix,
  sharedTlsSettings,
  type SitePorts,
  tlsSettings,
} from './render-listen.ts'
import { maps } from './render-maps.ts'
import { sharedCachePolicy } from './render-page-cache.ts'
import { block, type Node, renderNodes } from './render-text.ts'

export interface NginxInput {
  /** Absolute paths of the dynamic modules that were found. */
  modules: readonly string[]
  /** Hard limit of open files; nginx cannot raise its own above it. */
  open_files: number
  /** The distribution's `mime.types`. */
  mimeTypes: string
}

/** The main file of the embedded nginx and, with the modules of packages, of an installed one (`render-main.ts`). */
export function renderNginx(paths: Paths, input: NginxInput): string {
  const openFiles = integerValue('open files limit', input.open_files, 1024, 10_000_000)
  const temp = pathValue('temporary path', paths.nginxTemp)
  return renderNodes([
    input.modules.map((module) => `load_module ${pathValue('module path', module)}`),
    'user www-data',
    'worker_processes auto',
    `worker_rlimit_nofile ${openFiles}`,
    `pid ${pathValue('pid path', paths.nginxPid)}`,
    `error_log ${pathValue('error log path', paths.nginxErrorLog)} error`,
    // A connection to PHP or an upstream needs a second one; the files of the page cache come from the rest.
    block('events', [`worker_connections ${Math.max(4096, Math.min(16_384, Math.floor(openFiles / 2)))}`]),
    block('http', [
      `include ${pathValue('mime types path', input.mimeTypes)}`,
      'default_type application/octet-stream',
      'sendfile on',
      'tcp_nopush on',
      'types_hash_max_size 2048',
      'server_tokens off',
      `access_log ${pathValue('access log path', paths.nginxAccessLog)}`,
      ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${temp}/${name}`),
      `include ${pathValue('conf.d path', paths.nginxConfD)}/*.conf`,
      `include ${pathValue('sites path', paths.nginxSites)}/*.conf`,
    ]),
  ])
}

export interface ReeveConfInput {
  ports: SitePorts
  nginx: NginxFeatures
  /** Addresses of name servers for proxied sites whose upstream is a name. */
  resolvers: readonly string[]
}

// Pages arrive compressed from the application and are stored so; this is for its other answers and for files.
const compression: readonly Node[] = [
  'gzip_vary on',
  'gzip_comp_level 4',
  'gzip_min_length 1024',
  'gzip_proxied any',
  [
    'gzip_types text/plain text/css text/xml text/javascript application/javascript application/json',
    'application/manifest+json application/xml application/rss+xml application/atom+xml image/svg+xml font/ttf',
  ].join(' '),
]

/**
 * `conf.d/reeve.conf`. Says nothing that the distribution's main file says, so that nginx starts with either; of the
 * rest, what is the same for every site is said here, because nginx reads each vhost anew at every reload.
 */
export function renderReeveConf(_paths: Paths, input: ReeveConfInput): string {
  checkPorts(input.ports)
  checkFeatures(input.nginx)
  const resolvers = input.resolvers.map((address) =>
    wordValue('resolver address', address, /^(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[[0-9a-f:]+\])$/),
  )
  return renderNodes([
    'log_format reeve \'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time $upstream_cache_status\'',
    // Names of up to 253 characters, in the thousands.
    'server_names_hash_bucket_size 512',
    'server_names_hash_max_size 8192',
    'variables_hash_max_size 2048',
    // nginx may sit behind another door, whose name and port it does not know.
    'absolute_redirect off',
    resolvers.length > 0 && `resolver ${resolvers.join(' ')} valid=30s`,
    maps,
    block('map $scheme $reeve_port', [
      `default "${portSuffix(input.ports.https, 443)}"`,
      `http "${portSuffix(input.ports.http, 80)}"`,
    ]),
    // Ten tries at once, then one every three seconds: nobody mistypes faster.
    'limit_req_zone $reeve_login zone=reeve_logins:10m rate=20r/m',
    connectorLimit,
    sharedTlsSettings,
    compression,
    sharedCachePolicy,
    fastcgiParams,
    unknownHosts(input),
  ])
}

/** Nobody's name gets no answer: a connection closed without a byte, a handshake refused without a certificate. */
function unknownHosts({ ports, nginx }: ReeveConfInput): Node {
  const once = ' default_server backlog=4096'
  return [
    block('server', [listenHttp(ports, once), 'server_name _', 'access_log off', 'return 444']),
    block('server', [
      listenHttps(ports, nginx, once),
      'server_name _',
      'access_log off',
      'ssl_reject_handshake on',
      tlsSettings,
      'return 444',
    ]),
  ]
}

/**
 * Answers which configuration the workers serve, because a reload that did nothing looks like one that did.
 * An nginx that was killed leaves the socket's file behind, and the next one does not start until it is removed.
 */
export function renderGeneration(paths: Paths, generation: number): string {
  const socket = pathValue('status socket', paths.nginxStatusSocket)
  return renderNodes([
    block('server', [
      `listen unix:${socket} default_server`,
      'server_name _',
      'access_log off',
      // A page's key is a header of a purge, and as long as an address can be.
      'large_client_header_buffers 4 32k',
      'default_type text/plain',
      `return 200 "${integerValue('generation', generation, 0, Number.MAX_SAFE_INTEGER)}\\n"`,
    ]),
  ])
}
