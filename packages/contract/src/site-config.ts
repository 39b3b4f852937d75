// What an operator may change about a running site. Each value is safe in the configuration it ends in.
import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { Domain, SiteId } from './primitives.ts'
import { Site, SiteSpec } from './sites.ts'
import { BasicAuth, Redirect, SitePath } from './site-values.ts'
import { Accepted } from './tasks.ts'

/** Absent fields stay as they are. */
export const SiteConfigChange = z.strictObject({
  aliases: z.array(Domain).max(50).optional(),
  redirects: z.array(Redirect).max(200).optional(),
  https_redirect: z.boolean().optional(),
  www_redirect: z.enum(['none', 'to_www', 'to_bare']).optional(),
  hsts: z.boolean().optional(),
  cache: z
    .strictObject({
      enabled: z.boolean().optional(),
      ttl_s: z.int().min(1).max(2_592_000).optional(),
      bypass_paths: z.array(SitePath).max(50).optional(),
    })
    .optional(),
  /** The password may be left out while the user stays the same; null turns it off. */
  basic_auth: z
    .strictObject({ user: BasicAuth.shape.user, password: z.string().min(8).max(200).optional() })
    .nullable()
    .optional(),
  login_rate_limit: z.boolean().optional(),
  /** For administrators: directives inside the site's own server block, checked before they are taken. */
  nginx_snippet: z.string().max(20_000).nullable().optional(),
})
export type SiteConfigChange = z.infer<typeof SiteConfigChange>

/** Which of a site's names lead to another one, where both the name and its `www.` twin are the site's. */
export function redirectedNames({
  domain,
  aliases,
  www_redirect,
}: Pick<SiteSpec, 'domain' | 'aliases' | 'www_redirect'>): { from: Domain; to: Domain }[] {
  const names = [domain, ...aliases]
  const pairs = names.flatMap((bare) => {
    const www = names.find((name) => name === `www.${bare}`)
    return www === undefined ? [] : [{ bare, www }]
  })
  switch (www_redirect) {
    case 'none':
      return []
    case 'to_www':
      return pairs.map(({ bare, www }) => ({ from: bare, to: www }))
    case 'to_bare':
      return pairs.map(({ bare, www }) => ({ from: www, to: bare }))
  }
}

export const updateSiteConfig = endpoint({
  name: 'updateSiteConfig',
  summary: 'Change aliases, redirects, cache, protection and further configuration of a site',
  method: 'PUT',
  path: '/api/sites/{id}/config',
  role: 'manage',
  scope: 'site',
  params: z.strictObject({ id: SiteId }),
  body: SiteConfigChange,
  response: Accepted.extend({ site: Site }),
  status: 202,
})

export const siteCheck = operation({
  name: 'site.check',
  summary: 'Ask the web server whether it would take this document; nothing is changed',
  input: z.strictObject({ site: SiteSpec }),
  output: z.strictObject({}),
})
