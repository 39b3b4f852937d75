// Variables that every vhost reads. Strings are compared by hash first, so the common case costs no expression.
import { block, type Node } from './render-text.ts'

const encoding: Node = block('map $http_accept_encoding $reeve_encoding', [
  'default ""',
  ...['gzip', 'gzip, deflate', 'gzip, deflate, br', 'gzip, deflate, br, zstd'].map(
    (text) => `"${text}" gzip`,
  ),
  // RFC 9110 §12.5.3: `gzip;q=0` refuses it.
  '"~*(?:^|[\\s,])(?:x-)?gzip\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$)" ""',
  '"~*(?:^|[\\s,])gzip\\s*(?:[;,]|$)" gzip',
])

// PHP answers HEAD without a body, which must not be stored as the page.
const method: Node = block('map $request_method $reeve_method', ['default $request_method', 'HEAD GET'])

const connection: Node = block('map $http_upgrade $reeve_connection', ['default upgrade', '"" ""'])

const cmsCookies: Node = block('map $http_cookie $reeve_skip_cookie', [
  'default ""',
  '"~(?:^|;\\s*)(?:wordpress_logged_in_|wordpress_sec_|wp-postpass_|comment_author_)" 1',
])

const shopCookies: Node = block('map $http_cookie $reeve_skip_shop_cookie', [
  'default ""',
  '"~(?:^|;\\s*)(?:woocommerce_cart_hash|woocommerce_items_in_cart|wp_woocommerce_session_)" 1',
])

const cmsPaths: Node = block('map $uri $reeve_skip_path', [
  'default ""',
  '/ ""',
  '"~*^/(?:wp-admin|wp-json|wp-login|xmlrpc)(?:[/.]|$)" 1',
])

/**
 * One page has one address: what asks for something (`?`) is made anew, and so is what spells an address in another
 * way, or a purge of the address would leave that copy behind.
 */
const spelling: Node = block('map $request_uri $reeve_skip_spelling', [
  'default ""',
  '/ ""',
  '"~*[?]|//|/\\.\\.?(?:/|$)|%(?:2[def]|3\\d|[46][1-9a-f]|[57][\\da]|5f|7e)" 1',
  // Escapes are in capitals or in small letters, not in both.
  '"~%(?:[A-F]|.[A-F]).*%(?:[a-f]|.[a-f])|%(?:[a-f]|.[a-f]).*%(?:[A-F]|.[A-F])|%(?:[a-f][A-F]|[A-F][a-f])" 1',
])

const shopPaths: Node = block('map $uri $reeve_skip_shop_path', [
  'default ""',
  '/ ""',
  '"~*^/(?:[^/]+/)?(?:cart|basket|checkout|my-account|wc-api)(?:/|$)" 1',
])

/** A page that varies by more than its encoding is not stored: it would be served to the wrong visitor. */
const varies: Node = block('map $upstream_http_vary $reeve_varies', [
  'default 1',
  '"" ""',
  'Accept-Encoding ""',
  '"~*^(?:\\s*accept-encoding\\s*(?:,|$))+$" ""',
])

const staticExtensions =
  'css|m?js|map|svgz?|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wasm|pdf'

const expires: Node = block('map $is_args$uri $reeve_expires', [
  'default off',
  `"~*^\\?.*\\.(?:${staticExtensions})$" 365d`,
  `"~*\\.(?:${staticExtensions})$" 1d`,
])

/** One address in the key; of an IPv6 one the network, which a visitor has whole (RFC 6177). */
const client: Node = block('map $remote_addr $reeve_client', [
  'default $binary_remote_addr',
  '"~^((?:[0-9a-f]+:){4})" $1',
])

// Only a form that is sent can be a guess. An empty key is not counted (ngx_http_limit_req_module).
const logins: Node = block('map $request_method$uri $reeve_login', [
  'default ""',
  '"~^POST/(?:.*/)?(?:wp-login|xmlrpc)\\.php(?:/|$)" $server_name$reeve_client',
])

const retryAfter: Node = block('map $limit_req_status $reeve_retry_after', ['default ""', 'REJECTED 60'])

const strictTransport: Node = block('map $https $reeve_hsts', ['default ""', 'on "max-age=31536000"'])

export const maps: readonly Node[] = [
  encoding,
  method,
  connection,
  cmsCookies,
  shopCookies,
  cmsPaths,
  shopPaths,
  spelling,
  varies,
  expires,
  client,
  logins,
  retryAfter,
  strictTransport,
]
