// From a change of the configuration to the site's new document, and what is checked before the server is asked.
import { AppError } from '@reeve/contract/errors.ts'
import { redirectedNames, type SiteConfigChange } from '@reeve/contract/site-config.ts'
import { isCms, SiteSpec } from '@reeve/contract/sites.ts'
import type { Caller } from '../accounts/sessions.ts'
import { sha512Crypt } from '../access/sha512-crypt.ts'

/** The document with what the change names; the password is kept as its hash only. */
export function withConfig(spec: SiteSpec, change: SiteConfigChange): SiteSpec {
  const { cache, basic_auth: account, nginx_snippet: snippet, ...rest } = change
  return SiteSpec.parse({
    ...spec,
    ...rest,
    cache: { ...spec.cache, ...cache },
    basic_auth: account === undefined ? spec.basic_auth : withPassword(spec, account),
    nginx_snippet: snippet === undefined ? spec.nginx_snippet : textOf(snippet),
  })
}

function withPassword(spec: SiteSpec, account: SiteConfigChange['basic_auth']): SiteSpec['basic_auth'] {
  if (!account) return null
  if (account.password !== undefined) {
    return { user: account.user, password_hash: sha512Crypt(account.password) }
  }
  if (spec.basic_auth?.user === account.user) return spec.basic_auth
  throw new AppError('invalid_request', 'basic_auth needs a password for a new user.', {
    field: 'basic_auth.password',
  })
}

/** Lines as nginx counts them; nothing but white space is no snippet. */
function textOf(snippet: string | null): string | null {
  const text = snippet?.replaceAll('\r\n', '\n') ?? ''
  return text.trim() === '' ? null : text
}

/** What root's web server does for a site is for administrators to say in its own words. */
export function checkSnippetRole(caller: Caller, change: SiteConfigChange): void {
  if (change.nginx_snippet === undefined || caller.role === 'admin') return
  throw new AppError('forbidden', 'Only administrators may change nginx_snippet.', { field: 'nginx_snippet' })
}

export function checkConfig(spec: SiteSpec): void {
  checkRedirects(spec)
  checkNames(spec)
}

function checkRedirects({ redirects }: SiteSpec): void {
  const froms = redirects.map(({ from }) => from)
  const twice = froms.find((from, index) => froms.indexOf(from) !== index)
  if (twice !== undefined) throw refusedRedirect(`${twice} is redirected twice.`)
  const loop = redirects.find(({ from, to }) => from === to)
  if (loop) throw refusedRedirect(`${loop.from} is redirected to itself.`)
  const challenge = froms.find((from) => from.startsWith('/.well-known/'))
  if (challenge === undefined) return
  throw refusedRedirect(
    `${challenge} cannot be redirected: certificate authorities look below /.well-known/.`,
  )
}

const refusedRedirect = (message: string) => new AppError('invalid_request', message, { field: 'redirects' })

function checkNames(spec: SiteSpec): void {
  if (spec.www_redirect === 'none') return
  const { domain } = spec
  const twin = domain.startsWith('www.') ? domain.slice('www.'.length) : `www.${domain}`
  const refused = (message: string) => new AppError('refused', message, { field: 'www_redirect' })
  const own = redirectedNames(spec).find(({ from, to }) => from === domain || to === domain)
  if (!own) throw refused(`${twin} is not a name of this site; add it to the aliases first.`)
  // WordPress sends visitors of other names back to its own one.
  if (isCms(spec.type) && own.to !== domain) {
    throw refused(`WordPress serves its pages as ${domain} and would send visitors of ${own.to} back to it.`)
  }
}
