// Documents that the agent would take, as the starting point of those that it must not.
export const siteDocument = {
  id: 'saaaaaaaaaaaaaaa',
  domain: 'direct.example.com',
  aliases: ['www.direct.example.com'],
  type: 'php',
  profile: 'balanced',
  title: 'Direct',
  admin_email: null,
  admin_user: null,
  object_cache: false,
  php_version: null,
  php_workers: null,
  proxy_upstream: null,
  cache: { enabled: true, ttl_s: 600 },
}

export const applyDocument = { site: siteDocument, admin_password_hash: null }

export const auditDocument = {
  events: [
    {
      event_id: '0'.repeat(32),
      at: '2026-01-01T00:00:00.000Z',
      actor: 'system',
      action: 'fuzz',
      target: null,
      site_id: null,
      address: null,
      result: 'ok',
      status: null,
      reason: null,
      request_id: null,
    },
  ],
}

/** One for every operation. */
export const documents: Record<string, unknown> = {
  'site.apply': applyDocument,
  'site.check': { site: siteDocument },
  'site.remove': { id: siteDocument.id },
  'system.describe': {},
  'cache.purge': {
    id: siteDocument.id,
    target: { urls: ['https://direct.example.com/'], listings: ['post'] },
  },
  'cache.warm': { id: siteDocument.id },
  'cache.stats': { id: siteDocument.id },
  'connector.rotate': { id: siteDocument.id },
  'connector.list': {},
  'drift.list': { sweep: true },
  'drift.resolve': { id: 'daaaaaaaaaaaaaaa', action: 'restore' },
  'audit.append': auditDocument,
  'audit.read': { limit: 10 },
  'audit.verify': {},
  'logs.server': { source: 'agent', lines: 10, cursor: null, filter: null },
  'logs.site': { id: siteDocument.id, source: 'php', lines: 10, cursor: null, filter: 'x' },
  'cron.apply': {
    id: siteDocument.id,
    jobs: [
      { id: 'caaaaaaaaaaaaaaa', schedule: '0 4 * * 1-5', command: 'php -v', enabled: true, timeout_s: 60 },
    ],
  },
  'cron.run': { id: siteDocument.id, job: 'caaaaaaaaaaaaaaa' },
  'cron.state': { id: siteDocument.id },
  'access.apply': {
    id: siteDocument.id,
    enabled: true,
    password_hash: `$6$salt$${'a'.repeat(86)}`,
    keys: [`ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`],
  },
  'access.describe': { id: siteDocument.id },
  'timer.run': { name: 'log-rotation' },
  'certificate.issue': { id: siteDocument.id, task: 'taaaaaaaaaaaaaaa' },
  'certificate.list': {},
}
