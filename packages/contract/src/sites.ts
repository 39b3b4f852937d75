import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import {
  CmsUserName,
  Domain,
  Email,
  OneLine,
  PhpVersion,
  ProxyUpstream,
  SiteId,
  TaskId,
  Timestamp,
} from './primitives.ts'
import { CertificateFacts } from './certificates.ts'
import { BasicAuth, PhpLimits, Redirect, SitePath } from './site-values.ts'
import { Accepted } from './tasks.ts'

export const SiteType = z.enum(['wordpress', 'woocommerce', 'php', 'laravel', 'static', 'proxy'])
export type SiteType = z.infer<typeof SiteType>

export const isCms = (type: SiteType): boolean => type === 'wordpress' || type === 'woocommerce'
export const usesPhp = (type: SiteType): boolean => type !== 'static' && type !== 'proxy'
export const usesDatabase = (type: SiteType): boolean => usesPhp(type)

/** How long pages are cached, and what a shop never caches. */
export const Profile = z.enum(['balanced', 'commerce', 'maximum'])
export type Profile = z.infer<typeof Profile>

/** Page-cache lifetimes of a profile, in seconds. */
export const profileCache = {
  balanced: { ttl_s: 600, stale_s: 3600 },
  commerce: { ttl_s: 300, stale_s: 3600 },
  maximum: { ttl_s: 86_400, stale_s: 259_200 },
} as const satisfies Record<Profile, { ttl_s: number; stale_s: number }>

export const SiteState = z.enum(['creating', 'active', 'working', 'deleting', 'failed'])
export type SiteState = z.infer<typeof SiteState>

/** Workers of one site; the budget is a quarter of the memory at 80 MB each (spec, "Limits"). */
export const PhpWorkers = z.int().min(1).max(200)

export const SiteCache = z.strictObject({
  enabled: z.boolean(),
  /** Of pages of WordPress; another application says of each page itself whether and how long it is kept. */
  ttl_s: z.int().min(1).max(2_592_000),
  /** Pages whose path begins so are never cached. */
  bypass_paths: z.array(SitePath).max(50).default([]),
})
export type SiteCache = z.infer<typeof SiteCache>

/** Everything that decides how a site is rendered: the one document behind `site.apply`. */
export const SiteSpec = z.strictObject({
  id: SiteId,
  domain: Domain,
  aliases: z.array(Domain).max(50),
  type: SiteType,
  profile: Profile,
  title: OneLine,
  admin_email: Email.nullable(),
  admin_user: CmsUserName.nullable(),
  object_cache: z.boolean(),
  /** null: the server's default version. Fixed by the first apply. */
  php_version: PhpVersion.nullable(),
  /** null: as many as the memory budget allows. */
  php_workers: PhpWorkers.nullable(),
  proxy_upstream: ProxyUpstream.nullable(),
  cache: SiteCache,
  php_limits: PhpLimits.prefault({}),
  redirects: z.array(Redirect).max(200).default([]),
  https_redirect: z.boolean().default(true),
  /** Sends visitors to the name with `www.` or to the one without it. */
  www_redirect: z.enum(['none', 'to_www', 'to_bare']).default('none'),
  hsts: z.boolean().default(false),
  basic_auth: BasicAuth.nullable().default(null),
  /** Slows down guessing at `wp-login.php` and `xmlrpc.php`. */
  login_rate_limit: z.boolean().default(true),
  nginx_snippet: z.string().max(20_000).nullable().default(null),
})
export type SiteSpec = z.infer<typeof SiteSpec>

export const Site = z.object({
  id: SiteId,
  domain: z.string(),
  aliases: z.array(z.string()),
  type: SiteType,
  profile: Profile,
  title: z.string(),
  state: SiteState,
  /** Why the state is `failed`. */
  failure: z.string().nullable(),
  /** Address a visitor uses, with the port when it is not 443. */
  url: z.string(),
  admin_email: z.string().nullable(),
  admin_user: z.string().nullable(),
  object_cache: z.boolean(),
  php_version: z.string().nullable(),
  /** Workers in force. */
  php_workers: z.number().nullable(),
  proxy_upstream: z.string().nullable(),
  cache: SiteCache,
  php_limits: PhpLimits,
  redirects: z.array(Redirect),
  https_redirect: z.boolean(),
  www_redirect: z.enum(['none', 'to_www', 'to_bare']),
  hsts: z.boolean(),
  /** The password is never shown. */
  basic_auth: z.object({ user: z.string() }).nullable(),
  login_rate_limit: z.boolean(),
  /** null for callers who may not see it. */
  nginx_snippet: z.string().nullable(),
  /** WordPress version of the site's release. */
  cms_version: z.string().nullable(),
  certificate: CertificateFacts.nullable(),
  /** System user the site runs as. */
  system_user: z.string().nullable(),
  /** The task that works on the site now. */
  task_id: TaskId.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Site = z.infer<typeof Site>

export const CreateSite = z.strictObject({
  domain: Domain,
  type: SiteType,
  profile: Profile.default('balanced'),
  admin_email: Email.optional(),
  admin_user: CmsUserName.optional(),
  admin_password: z.string().min(12, 'needs at least 12 characters').max(200).optional(),
  object_cache: z.boolean().optional(),
  title: OneLine.optional(),
  aliases: z.array(Domain).max(50).optional(),
  php_version: PhpVersion.optional(),
  php_workers: PhpWorkers.optional(),
  proxy_upstream: ProxyUpstream.optional(),
})
export type CreateSite = z.infer<typeof CreateSite>

const SiteParams = z.strictObject({ id: SiteId })

export const listSites = endpoint({
  name: 'listSites',
  summary: 'The sites the caller may see',
  method: 'GET',
  path: '/api/sites',
  role: 'auth',
  response: z.object({ sites: z.array(Site) }),
})

export const createSite = endpoint({
  name: 'createSite',
  summary: 'Create a site; answers 202 with the task that does it',
  method: 'POST',
  path: '/api/sites',
  role: 'manage',
  body: CreateSite,
  response: Accepted.extend({ site: Site }),
  status: 202,
})

export const getSite = endpoint({
  name: 'getSite',
  summary: 'One site',
  method: 'GET',
  path: '/api/sites/{id}',
  role: 'auth',
  scope: 'site',
  params: SiteParams,
  response: Site,
})

export const deleteSite = endpoint({
  name: 'deleteSite',
  summary: 'Delete a site with its files, database, certificate and logs',
  method: 'DELETE',
  path: '/api/sites/{id}',
  role: 'manage',
  scope: 'site',
  params: SiteParams,
  response: Accepted,
  status: 202,
})

/** WordPress verifies this hash and replaces it with its own at the first login. */
export const CmsPasswordHash = z.string().regex(/^\$P\$[./0-9A-Za-z]{31}$/)

export const siteApply = operation({
  name: 'site.apply',
  summary: 'Make the server serve this site as its document says; repeating it changes nothing',
  input: z.strictObject({
    site: SiteSpec,
    /** Given when the site is created; ignored once the administrator exists. */
    admin_password_hash: CmsPasswordHash.nullable(),
  }),
  output: z.strictObject({
    system_user: z.string(),
    php_version: z.string().nullable(),
    php_workers: z.number().nullable(),
    cms_version: z.string().nullable(),
    certificate: CertificateFacts,
    connector_token_sha256: z.string(),
  }),
})

export const siteRemove = operation({
  name: 'site.remove',
  summary: 'Remove every trace of a site from the server; repeating it changes nothing',
  input: z.strictObject({ id: SiteId }),
  output: z.strictObject({ removed: z.boolean() }),
})

/** Names of the steps `site.apply` reports, in the order they are shown. */
export function siteApplySteps(type: SiteType): string[] {
  return [
    'user',
    'files',
    ...(usesDatabase(type) ? ['database'] : []),
    ...(usesPhp(type) ? ['object cache'] : []),
    'certificate',
    ...(usesPhp(type) ? ['php'] : []),
    'application',
    'web server',
    'verify',
  ]
}

export const siteRemoveSteps = [
  'web server',
  'certificate',
  'php',
  'processes',
  'files',
  'database',
  'object cache',
  'user',
] as const
