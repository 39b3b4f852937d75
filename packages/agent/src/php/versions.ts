import { existsSync, readdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { PhpVersion } from '@reeve/contract/primitives.ts'

/** PHP versions with an installed FPM binary, newest first. */
export function installedPhpVersions(): PhpVersion[] {
  return readdirSync('/usr/sbin')
    .flatMap((name) => {
      const version = PhpVersion.safeParse(/^php-fpm(.+)$/.exec(name)?.[1])
      return version.success && existsSync(fpmBinary(version.data)) ? [version.data] : []
    })
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
}

export const fpmBinary = (version: PhpVersion): string => `/usr/sbin/php-fpm${version}`

const bytesPerWorker = 80 * 1024 * 1024

/** Workers that fit in a site's budget: a quarter of the memory at 80 MB each, at least two (spec, "Limits"). */
export function workerBudget(memoryBytes: number = totalmem()): number {
  return Math.max(2, Math.floor(memoryBytes / 4 / bytesPerWorker))
}
