// The site that the tests of this package start from.
import type { Site } from '@reeve/contract/sites.ts'

export const exampleSite = (part: Partial<Site>): Site => ({
  id: 'saaaaaaaaaaaaaaa',
  domain: 'a.test',
  aliases: [],
  type: 'static',
  profile: 'balanced',
  title: 'a.test',
  state: 'active',
  failure: null,
  url: 'https://a.test',
  admin_email: null,
  admin_user: null,
  object_cache: false,
  php_version: null,
  php_workers: null,
  proxy_upstream: null,
  cache: { enabled: true, ttl_s: 600, bypass_paths: [] },
  php_limits: { memory_limit_mb: 256, max_execution_s: 60, upload_max_mb: 64 },
  redirects: [],
  https_redirect: true,
  www_redirect: 'none',
  hsts: false,
  basic_auth: null,
  login_rate_limit: true,
  nginx_snippet: null,
  cms_version: null,
  certificate: null,
  system_user: null,
  task_id: null,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  ...part,
})

export const exampleCertificate = (
  part: Partial<NonNullable<Site['certificate']>>,
): NonNullable<Site['certificate']> => ({
  issuer: 'acme',
  expires_at: '2026-06-01T12:00:00Z',
  names: ['a.test'],
  authority: 'Example CA',
  renew_at: null,
  last_error: null,
  ...part,
})
