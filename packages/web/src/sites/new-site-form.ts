// The form of a new site as plain data: what it starts with, and the request it becomes.
import type { Profile, SiteType } from '@reeve/contract/sites.ts'
import type { Draft, SiteBody } from './drafts.ts'
import { isCms, usesPhp } from './type-facts.ts'

export interface SiteForm {
  domain: string
  type: SiteType
  profile: Profile
  adminEmail: string
  adminUser: string
  adminPassword: string
  title: string
  /** One a line. */
  aliases: string
  /** Empty: the server's default. */
  phpVersion: string
  /** Empty: what the memory budget allows. */
  phpWorkers: string
  /** null: as the type and profile suggest. */
  objectCache: boolean | null
  upstream: string
}

/** A user name WordPress accepts, from the part of the address before the @. */
export function userNameFrom(email: string): string {
  const name = (email.split('@')[0] ?? '').replace(/[^A-Za-z0-9_.-]/g, '').slice(0, 60)
  return name === '' ? 'owner' : name
}

export function startForm(email: string, password: string, draft: Draft | undefined): SiteForm {
  return {
    domain: draft?.domain ?? '',
    type: draft?.type ?? 'wordpress',
    profile: draft?.profile ?? 'balanced',
    adminEmail: draft?.admin_email ?? email,
    adminUser: draft?.admin_user ?? userNameFrom(email),
    adminPassword: password,
    title: draft?.title ?? '',
    aliases: (draft?.aliases ?? []).join('\n'),
    phpVersion: draft?.php_version ?? '',
    phpWorkers: draft?.php_workers === undefined ? '' : String(draft.php_workers),
    objectCache: draft?.object_cache ?? null,
    upstream: draft?.proxy_upstream ?? '',
  }
}

/** A shop brings its profile along, and takes it away again when another type is chosen after all. */
export function chooseType(form: SiteForm, type: SiteType): Partial<SiteForm> {
  if (type === 'woocommerce') return { type, profile: 'commerce' }
  const broughtAlong = form.type === 'woocommerce' && form.profile === 'commerce'
  return broughtAlong ? { type, profile: 'balanced' } : { type }
}

/** What the server decides when `object_cache` is not given. */
export const suggestsObjectCache = (form: Pick<SiteForm, 'type' | 'profile'>): boolean =>
  usesPhp(form.type) && (form.type === 'woocommerce' || form.profile === 'commerce')

export const hasObjectCache = (form: SiteForm): boolean =>
  usesPhp(form.type) && (form.objectCache ?? suggestsObjectCache(form))

/** What was typed once it looks like a name; whether it is one, the server says. */
export function typedDomain({ domain }: Pick<SiteForm, 'domain'>): string | undefined {
  const typed = domain.trim().toLowerCase()
  return /^[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*(?:\.[\p{L}\p{N}\p{M}-]+)+$/u.test(typed) ? typed : undefined
}

export const aliasesOf = (form: Pick<SiteForm, 'aliases'>): string[] =>
  form.aliases.split(/[\s,]+/).filter((alias) => alias !== '')

/** Only the fields that go with the type; the server refuses the others. */
export function bodyOf(form: SiteForm): SiteBody {
  const body: SiteBody = { domain: form.domain.trim(), type: form.type, profile: form.profile }
  if (isCms(form.type)) {
    body.admin_email = form.adminEmail.trim()
    body.admin_user = form.adminUser.trim()
    body.admin_password = form.adminPassword
  }
  if (form.title.trim() !== '') body.title = form.title.trim()
  const aliases = aliasesOf(form)
  if (aliases.length > 0) body.aliases = aliases
  if (usesPhp(form.type)) {
    if (form.phpVersion !== '') body.php_version = form.phpVersion
    if (form.phpWorkers.trim() !== '') body.php_workers = Number(form.phpWorkers)
    if (form.objectCache !== null) body.object_cache = form.objectCache
  }
  if (form.type === 'proxy') body.proxy_upstream = form.upstream.trim()
  return body
}
