// Decides which directives an administrator may add to a site's own server block. What is not listed is refused:
// nothing that leaves the block, reads files outside the site, takes another site's names, or keeps nginx from starting.
import { AppError } from '@reeve/contract/errors.ts'
import { type NginxNode, NginxSyntaxError, parseNginx } from './parse-nginx.ts'

/** Throws the first problem with its line in the snippet. */
export function checkSnippet(snippet: string): NginxNode[] {
  const control = /[^\P{Cc}\n\t]/u.exec(snippet)
  if (control) throw refused(lineAt(snippet, control.index), 'holds a control character')
  const nodes = parsed(snippet)
  for (const node of nodes) checkNode(node)
  return nodes
}

function parsed(snippet: string): NginxNode[] {
  try {
    return parseNginx(snippet)
  } catch (error) {
    if (error instanceof NginxSyntaxError) throw refused(error.line, `cannot be read: ${error.problem}`)
    throw error
  }
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length

export const refused = (line: number, problem: string) =>
  new AppError('refused', `Line ${line} of the nginx snippet ${problem}.`, { field: 'nginx_snippet', line })

const words = (text: string) => text.split(/\s+/)

/** Directives without a reach beyond the request they answer, whatever their arguments. */
const harmless = new Set([
  ...words(
    'add_header add_trailer allow deny satisfy internal break return set expires etag if_modified_since',
  ),
  ...words('charset default_type autoindex autoindex_exact_size autoindex_format autoindex_localtime'),
  ...words(
    'client_max_body_size client_body_timeout send_timeout keepalive_timeout limit_rate limit_rate_after',
  ),
  ...words('gzip gzip_comp_level gzip_min_length gzip_proxied gzip_types gzip_vary log_not_found'),
  ...words('sub_filter sub_filter_last_modified sub_filter_once sub_filter_types recursive_error_pages'),
  ...['fastcgi', 'proxy'].flatMap((protocol) =>
    words('buffer_size buffering buffers busy_buffers_size connect_timeout hide_header intercept_errors').map(
      (name) => `${protocol}_${name}`,
    ),
  ),
  ...words('fastcgi_read_timeout fastcgi_request_buffering fastcgi_send_timeout'),
  ...words('proxy_cookie_domain proxy_cookie_path proxy_http_version proxy_read_timeout proxy_redirect'),
  ...words('proxy_request_buffering proxy_send_timeout proxy_set_header proxy_ssl_server_name'),
])

type Problem = string | undefined

/** Directives that are taken with some arguments only. */
const checked: Readonly<Record<string, (args: readonly string[]) => Problem>> = {
  location: locationProblem,
  if: ifProblem,
  limit_except: () => undefined,
  rewrite: ([, replacement = '']) =>
    isOwnAddress(replacement) ? undefined : 'leads to a path that a visitor could choose',
  error_page: (args) =>
    isErrorPage(args.at(-1) ?? '')
      ? undefined
      : 'names a page that is neither a path, a location nor an address',
  try_files: (args) =>
    args.every(isTried) ? undefined : 'tries something else than $uri, a path, a location or =404',
  index: (args) =>
    args.every((name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name))
      ? undefined
      : 'names something else than a file',
  proxy_pass: ([to = '']) => (isUpstream(to) ? undefined : 'must name an address like http://127.0.0.1:3000'),
  access_log: (args) => (args.join(' ') === 'off' ? undefined : 'may only be "off"'),
  auth_basic: ([text = '']) => (text.includes('$') ? 'may hold no variable' : undefined),
  fastcgi_cache: (args) => (args.join(' ') === 'off' ? undefined : 'may only be "off"'),
  proxy_cache: (args) => (args.join(' ') === 'off' ? undefined : 'may only be "off"'),
}

const blocks = new Set(['location', 'if', 'limit_except'])

function checkNode(node: NginxNode): void {
  const [name = '', ...args] = node.words
  const check = Object.hasOwn(checked, name) ? checked[name] : undefined
  if (!check && !harmless.has(name)) throw refused(node.line, `holds "${name}", which is not allowed there`)
  const problem = check?.(args) ?? argumentProblem(name, args)
  if (problem !== undefined) throw refused(node.line, `holds a "${name}" that ${problem}`)
  if (node.block && !blocks.has(name)) throw refused(node.line, `opens a block with "${name}"`)
  for (const inner of node.block ?? []) checkNode(inner)
}

/** The panel's own variables decide what is cached and who is counted. */
function argumentProblem(name: string, args: readonly string[]): Problem {
  if (name === 'set' && /^\$\{?reeve/i.test(args[0] ?? '')) return 'sets a variable of the panel'
  return captureProblem(args)
}

const captureProblem = (args: readonly string[]): Problem =>
  args.some((word) => /\(\?P?[<']\s*reeve/i.test(word)) ? 'sets a variable of the panel' : undefined

function locationProblem(args: readonly string[]): Problem {
  const pattern = args.at(-1) ?? ''
  const isExpression = args.length > 1 && args[0]?.startsWith('~')
  if (!isExpression && /^\/*\.well-known(?:\/|$)/i.test(pattern.replace(/^(?:=|\^~)/, ''))) {
    return 'would stand before the answers to certificate challenges'
  }
  return captureProblem(args)
}

/** Whether a file exists is only asked about the file that was asked for. */
function ifProblem(args: readonly string[]): Problem {
  for (const [at, word] of args.entries()) {
    if (!/^\(?\s*!?-[fdex]$/.test(word)) continue
    if (!/^\$request_filename\)?$/.test(args[at + 1] ?? ''))
      return 'looks for another file than $request_filename'
  }
  return captureProblem(args)
}

const climbs = (path: string) => /(?:^|\/)\.\.?(?:\/|$)/.test(path)
const isAddress = (text: string) => /^(?:https?|\$scheme):\/\//.test(text)

/** The path of a rewrite becomes the path of a file, so a visitor's words may not be part of it. */
function isOwnAddress(text: string): boolean {
  if (isAddress(text)) return true
  const [path = ''] = text.split('?')
  return (
    path.startsWith('/') && !climbs(path) && !path.replaceAll(/\$(?:[1-9]|uri\b|host\b)/g, '').includes('$')
  )
}

const isErrorPage = (text: string) =>
  isAddress(text) ||
  /^@[A-Za-z0-9_-]+$/.test(text) ||
  (text.startsWith('/') && !text.includes('$') && !climbs(text))

const isTried = (text: string) =>
  /^(?:=[0-9]{3}|@[A-Za-z0-9_-]+|\$uri(?:\/|\.html)?|\/[A-Za-z0-9._/-]*(?:\?\S*)?)$/.test(text) &&
  !climbs(text.split('?')[0] ?? '')

/** A name that does not resolve keeps nginx, and so every site, from starting; a socket may be another site's. */
const isUpstream = (text: string) =>
  /^https?:\/\/(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[[0-9a-f:]+\]|localhost)(?::[0-9]{1,5})?(?:\/\S*)?$/.test(
    text,
  )
