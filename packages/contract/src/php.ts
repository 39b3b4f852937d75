import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { PhpVersion, SiteId } from './primitives.ts'
import { PhpWorkers, Site } from './sites.ts'
import { PhpLimits } from './site-values.ts'
import { Accepted } from './tasks.ts'

/** Absent fields stay as they are; `php_workers: null` goes back to the memory budget. */
export const SitePhpChange = z.strictObject({
  version: PhpVersion.optional(),
  memory_limit_mb: PhpLimits.shape.memory_limit_mb.unwrap().optional(),
  max_execution_s: PhpLimits.shape.max_execution_s.unwrap().optional(),
  upload_max_mb: PhpLimits.shape.upload_max_mb.unwrap().optional(),
  php_workers: PhpWorkers.nullable().optional(),
})
export type SitePhpChange = z.infer<typeof SitePhpChange>

export const updateSitePhp = endpoint({
  name: 'updateSitePhp',
  summary: 'Change the PHP version and limits of a site',
  method: 'PUT',
  path: '/api/sites/{id}/php',
  role: 'manage',
  scope: 'site',
  params: z.strictObject({ id: SiteId }),
  body: SitePhpChange,
  response: Accepted.extend({
    site: Site,
    /** What the operator should know, e.g. that more workers than the budget allows may swap. */
    warnings: z.array(z.string()),
  }),
  status: 202,
})
