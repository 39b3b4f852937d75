// The configuration of a site as a form: what it starts with, and the request that its changes become.
import type { updateSiteConfig } from '@reeve/contract/site-config.ts'
import type { Redirect } from '@reeve/contract/site-values.ts'
import type { Site } from '@reeve/contract/sites.ts'
import type { BodyOf } from '../lib/api.ts'

export type ConfigBody = BodyOf<typeof updateSiteConfig>

export interface RedirectRow {
  /** Tells rows apart while they are typed; never sent. */
  key: number
  from: string
  to: string
  status: Redirect['status']
}

export interface ConfigForm {
  /** One a line. */
  aliases: string
  www_redirect: Site['www_redirect']
  https_redirect: boolean
  hsts: boolean
  redirects: readonly RedirectRow[]
  cacheEnabled: boolean
  /** Seconds; null while nothing is typed. */
  cacheTtl: number | null
  /** One a line. */
  bypassPaths: string
  basicAuth: { on: boolean; user: string; password: string }
  loginRateLimit: boolean
  snippet: string
}

export function configFormOf(site: Site): ConfigForm {
  return {
    aliases: site.aliases.join('\n'),
    www_redirect: site.www_redirect,
    https_redirect: site.https_redirect,
    hsts: site.hsts,
    redirects: site.redirects.map((redirect, key) => ({ key, ...redirect })),
    cacheEnabled: site.cache.enabled,
    cacheTtl: site.cache.ttl_s,
    bypassPaths: site.cache.bypass_paths.join('\n'),
    basicAuth: { on: site.basic_auth !== null, user: site.basic_auth?.user ?? '', password: '' },
    loginRateLimit: site.login_rate_limit,
    snippet: site.nginx_snippet ?? '',
  }
}

/** The next key no row has. */
export const nextKey = (rows: readonly RedirectRow[]): number =>
  Math.max(-1, ...rows.map(({ key }) => key)) + 1

export const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '')

const isBlank = (row: RedirectRow): boolean => row.from.trim() === '' && row.to.trim() === ''

/** The rows that are sent, in their order: a row that was added and left empty is none. */
export const sentRedirects = (rows: readonly RedirectRow[]): RedirectRow[] =>
  rows.filter((row) => !isBlank(row))

/** Only what was changed: what others change meanwhile in other fields stays theirs. */
export function bodyOfConfig(form: ConfigForm, dirty: readonly (keyof ConfigForm)[]): ConfigBody {
  const has = (key: keyof ConfigForm) => dirty.includes(key)
  const body: ConfigBody = {}
  if (has('aliases')) body.aliases = linesOf(form.aliases)
  if (has('www_redirect')) body.www_redirect = form.www_redirect
  if (has('https_redirect')) body.https_redirect = form.https_redirect
  if (has('hsts')) body.hsts = form.hsts
  if (has('redirects')) {
    body.redirects = sentRedirects(form.redirects).map(({ from, to, status }) => ({
      from: from.trim(),
      to: to.trim(),
      status,
    }))
  }
  const cache: NonNullable<ConfigBody['cache']> = {}
  if (has('cacheEnabled')) cache.enabled = form.cacheEnabled
  if (has('cacheTtl') && form.cacheTtl !== null) cache.ttl_s = form.cacheTtl
  if (has('bypassPaths'))
    cache.bypass_paths = form.bypassPaths
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  if (Object.keys(cache).length > 0) body.cache = cache
  if (has('basicAuth')) body.basic_auth = basicAuthOf(form.basicAuth)
  if (has('loginRateLimit')) body.login_rate_limit = form.loginRateLimit
  if (has('snippet')) body.nginx_snippet = form.snippet.trim() === '' ? null : form.snippet
  return body
}

function basicAuthOf({ on, user, password }: ConfigForm['basicAuth']): ConfigBody['basic_auth'] {
  if (!on) return null
  return password === '' ? { user: user.trim() } : { user: user.trim(), password }
}
