// What an operator sets about a site's web server beside its type: where addresses lead, who may see it, and how
// often somebody may try to sign in.
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain } from '@reeve/contract/primitives.ts'
import { Redirect, SitePath } from '@reeve/contract/site-values.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import { pathValue } from '../render-values.ts'
import { block, type Node } from './render-text.ts'

export interface VhostSettings
  extends Pick<SiteSpec, 'redirects' | 'https_redirect' | 'hsts' | 'login_rate_limit' | 'nginx_snippet'> {
  /** Names that only lead to another one of the site's. */
  redirected_names: readonly { from: Domain; to: Domain }[]
  /** Users and password hashes; null when everybody may see the site. */
  password_file: string | null
}

/** A site of which nothing was set. */
export const plainSettings: VhostSettings = {
  redirects: [],
  https_redirect: true,
  redirected_names: [],
  hsts: false,
  password_file: null,
  login_rate_limit: true,
  nginx_snippet: null,
}

/** `origin` goes before targets that are paths; empty where they stay on the scheme and name of the request. */
export function redirectLocations(redirects: readonly Redirect[], origin: string): Node[] {
  return redirects.map((redirect) => {
    const { from, to, status } = redirectValue(redirect)
    return block(`location = ${from}`, [`return ${status} ${to.startsWith('/') ? origin : ''}${to}`])
  })
}

function redirectValue(redirect: Redirect): Redirect {
  const parsed = Redirect.safeParse(redirect)
  if (parsed.success) return parsed.data
  throw new AppError('refused', `A redirect from ${JSON.stringify(redirect.from)} is not valid.`, {
    field: 'redirects',
  })
}

/** Browsers keep to HTTPS for a year; over HTTP the header means nothing and is not sent (RFC 6797, 7.2). */
export function strictTransport(settings: VhostSettings): Node {
  if (!settings.hsts) return false
  const value = settings.https_redirect ? '"max-age=31536000"' : '$reeve_hsts'
  return `add_header Strict-Transport-Security ${value} always`
}

export function passwordPrompt(settings: VhostSettings): Node {
  if (settings.password_file === null) return false
  return [
    'auth_basic "Protected"',
    `auth_basic_user_file ${pathValue('password file', settings.password_file)}`,
  ]
}

/** Tells who was refused when to come back. */
export function throttledHeader(settings: VhostSettings): Node {
  return settings.login_rate_limit && 'add_header Retry-After $reeve_retry_after always'
}

/** On the location of scripts: whoever does not post to a sign-in has an empty key and is not counted. */
export const loginLimit: Node = ['limit_req zone=reeve_logins burst=9 nodelay', 'limit_req_status 429']

export const bypassVariable = (zone: string): string => `$${zone}_bypass`

/**
 * In the `http` context. PCRE takes what stands between \Q and \E literally, and a path of ours holds no backslash.
 */
export function bypassMap(zone: string, paths: readonly SitePath[]): Node {
  if (paths.length === 0) return false
  const patterns = paths.map((path) => {
    if (SitePath.safeParse(path).success) return `"~^\\Q${path}\\E" 1`
    throw new AppError('refused', `The path ${JSON.stringify(path)} is not valid.`, { field: 'bypass_paths' })
  })
  return block(`map $uri ${bypassVariable(zone)}`, ['default ""', ...patterns])
}

export const snippetMarker = "# The administrator's own directives."
export const snippetEnd = '# End of them.'

/**
 * Directives that only administrators set (`check-snippet.ts`). Whatever they rewrite or refuse, a challenge is
 * answered: `break` ends the rewriting of these requests before it begins.
 */
export function ownDirectives(settings: VhostSettings): Node {
  if (settings.nginx_snippet === null) return false
  return [
    block('if ($uri ~ ^/\\.well-known/acme-challenge/)', ['break']),
    snippetMarker,
    { raw: settings.nginx_snippet },
    snippetEnd,
  ]
}
