// A site's PHP settings as a form: what it starts with, and the request that its changes become.
import type { updateSitePhp } from '@reeve/contract/php.ts'
import type { Site } from '@reeve/contract/sites.ts'
import type { BodyOf } from '../lib/api.ts'

export type PhpBody = BodyOf<typeof updateSitePhp>

export interface PhpForm {
  version: string
  /** As typed. */
  memory: string
  time: string
  upload: string
  workers: { automatic: boolean; count: string }
}

/** `budget` is the number of workers that a site gets unless it asks for another. */
export function phpFormOf(site: Site, budget: number | undefined): PhpForm {
  const { php_limits: limits, php_workers: workers } = site
  return {
    version: site.php_version ?? '',
    memory: String(limits.memory_limit_mb),
    time: String(limits.max_execution_s),
    upload: String(limits.upload_max_mb),
    workers: {
      automatic: workers === null || workers === budget,
      count: String(workers ?? budget ?? ''),
    },
  }
}

export function bodyOfPhp(form: PhpForm, dirty: readonly (keyof PhpForm)[]): PhpBody {
  const has = (key: keyof PhpForm) => dirty.includes(key)
  const body: PhpBody = {}
  if (has('version')) body.version = form.version
  if (has('memory')) body.memory_limit_mb = Number(form.memory)
  if (has('time')) body.max_execution_s = Number(form.time)
  if (has('upload')) body.upload_max_mb = Number(form.upload)
  if (has('workers')) body.php_workers = form.workers.automatic ? null : Number(form.workers.count)
  return body
}
