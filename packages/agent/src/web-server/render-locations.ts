// What each type of site answers for which path.
import type { SiteType } from '@reeve/contract/sites.ts'
import { isCms } from '@reeve/contract/sites.ts'
import { openCacheFiles } from './render-page-cache.ts'
import { loginLimit } from './render-settings.ts'
import { block, type Node } from './render-text.ts'

export interface PhpRoute {
  socket: string
  type: SiteType
  isCached: boolean
  isLoginLimited: boolean
  /** The password of nginx's own prompt is not the application's to know. */
  hidesCredentials: boolean
}

/** Which script answers: the front controller, or the one that was asked for. */
const script = (value: string): string => `set $reeve_script ${value}`

/**
 * In the `http` context, so that nginx keeps the list once and not once a site. The distribution's `fastcgi_params`
 * differ from release to release, so they are said here. `HTTP_PROXY` is emptied against httpoxy (CVE-2016-5385);
 * the forwarding headers because no proxy of ours sets them, and an application that believes a visitor's would
 * store a page with foreign links in the cache.
 */
export const fastcgiParams: readonly Node[] = [
  // nginx wants every variable to be known, also where no site runs PHP.
  block('map "" $reeve_script', ['default /index.php']),
  block('map "" $reeve_authorization', ['default $http_authorization']),
  ...[
    ['SCRIPT_FILENAME', '$realpath_root$reeve_script'],
    ['SCRIPT_NAME', '$reeve_script'],
    ['DOCUMENT_ROOT', '$realpath_root'],
    ['DOCUMENT_URI', '$reeve_script'],
    ['REQUEST_URI', '$request_uri'],
    ['QUERY_STRING', '$query_string'],
    ['REQUEST_METHOD', '$reeve_method'],
    ['CONTENT_TYPE', '$content_type'],
    ['CONTENT_LENGTH', '$content_length'],
    ['SERVER_PROTOCOL', '$server_protocol'],
    ['REQUEST_SCHEME', '$scheme'],
    ['HTTPS', '$https if_not_empty'],
    ['GATEWAY_INTERFACE', 'CGI/1.1'],
    ['SERVER_SOFTWARE', 'nginx'],
    ['REMOTE_ADDR', '$remote_addr'],
    ['REMOTE_PORT', '$remote_port'],
    ['SERVER_ADDR', '$server_addr'],
    ['SERVER_PORT', '$server_port'],
    ['SERVER_NAME', '$host'],
    ['REDIRECT_STATUS', '200'],
    ['HTTP_HOST', '$host$reeve_port'],
    ['HTTP_ACCEPT_ENCODING', '$reeve_encoding'],
    ['REEVE_ENCODING', '$reeve_encoding'],
    ['HTTP_AUTHORIZATION', '$reeve_authorization if_not_empty'],
    ...[
      'PROXY',
      'FORWARDED',
      'X_FORWARDED_HOST',
      'X_FORWARDED_PROTO',
      'X_FORWARDED_PORT',
      'X_FORWARDED_PREFIX',
      'X_ORIGINAL_URL',
      'X_REWRITE_URL',
      'X_HTTP_METHOD_OVERRIDE',
    ].map((name) => [`HTTP_${name}`, '""']),
  ].map(([name, value]) => `fastcgi_param ${name} ${value}`),
  'fastcgi_buffer_size 8k',
  'fastcgi_buffers 16 16k',
]

/** In the `server` context. */
export function phpServer({ type, hidesCredentials }: PhpRoute, timeoutS: number): Node {
  return [
    hidesCredentials && 'set $reeve_authorization ""',
    `fastcgi_read_timeout ${timeoutS}s`,
    'fastcgi_hide_header X-Powered-By',
    type === 'php' && 'index index.php index.html',
  ]
}

/**
 * Paths without a dot are pages and take the lean route: no file is looked for, so a cached page costs what a
 * static file costs. Everything that can be a file has a dot and is sorted in one nested group.
 */
export function phpLocations(route: PhpRoute): Node[] {
  const pass = `fastcgi_pass unix:${route.socket}`
  const front = [script('/index.php'), ...(route.isCached ? openCacheFiles : []), pass]
  const cms = isCms(route.type)
  return [
    ...(cms
      ? [block('location /', front), adminLocation]
      : [block('location /', [`try_files ${tried(route.type)} @front`])]),
    block('location ~ \\.', [
      denials(route.type),
      block('location ~* \\.php(?:/|$)', [
        // Only scripts that exist: `/photo.jpg/x.php` is not one, and PHP never guesses (cgi.fix_pathinfo=0).
        'try_files $uri =404',
        'expires off',
        cms && route.isCached && 'fastcgi_cache off',
        route.isLoginLimited && loginLimit,
        script('$fastcgi_script_name'),
        pass,
      ]),
      staticFiles,
      `try_files ${tried(route.type)} @front`,
    ]),
    block('location @front', front),
  ]
}

/** The directories with a front page of their own; without its last slash nginx sends the visitor there. */
const adminLocation: Node = block('location ~ ^/wp-admin(?:/(?:network/|user/)?)?$', ['index index.php'])

// A generic PHP site may hold several applications in directories; the others have one entry point.
const tried = (type: SiteType): string => (type === 'php' ? '$uri $uri/' : '$uri')

/** Files with a long life when their address carries a version, a day otherwise; `.gz` twins are used. */
const staticFiles: readonly Node[] = ['expires $reeve_expires', 'gzip_static on']

const uploadFolders: Record<SiteType, string> = {
  wordpress: 'wp-content/(?:uploads|files|blogs\\.dir|cache|upgrade|languages)',
  woocommerce: 'wp-content/(?:uploads|files|blogs\\.dir|cache|upgrade|languages)',
  php: '(?:uploads|files|storage)',
  laravel: '(?:storage|uploads|build)',
  static: '',
  proxy: '',
}

/** They answer 404, so that nothing tells whether the file exists; one location, because nginx keeps 10 kB for each. */
function denials(type: SiteType): Node {
  const folder = uploadFolders[type]
  const patterns = [
    '/\\.(?!(?-i:well-known)/)',
    '(?:~|\\.(?:bak|old|orig|save|sw[op]|sql(?:\\.gz)?|in[ci]|log|sh|env|phps|pht|phtml|phar|php[0-9]+))$',
    ...(folder === '' ? [] : [`^/${folder}/.*\\.php(?:/|$)`]),
    ...(isCms(type)
      ? [
          '^/(?:wp-config(?:-sample)?|wp-admin/(?:setup-config|install))\\.php',
          '^/wp-includes/(?!js/tinymce/wp-tinymce\\.php$).*\\.php',
        ]
      : []),
    ...(type === 'laravel' ? ['^/(?!index\\.php$).*\\.php(?:/|$)'] : []),
    ...(type === 'static' ? ['\\.php(?:/|$)'] : []),
  ]
  return block(`location ~* ${patterns.join('|')}`, ['return 404'])
}

export function staticLocations(): Node[] {
  return [
    'index index.html index.htm',
    'error_page 404 /404.html',
    block('location = /404.html', ['internal']),
    block('location /', ['try_files $uri $uri/ $uri.html =404', 'gzip_static on']),
    block('location ~ \\.', [denials('static'), staticFiles, 'try_files $uri $uri/ =404']),
  ]
}
