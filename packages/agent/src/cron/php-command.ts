// A folder for each PHP version in which `php` is that version; first in the PATH of a job.
import { chmodSync, existsSync, mkdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import { phpProgram, programPath } from '../command.ts'
import { writeManagedFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import type { Registry } from '../registry.ts'
import { renderCronPhpIni } from './render-php-ini.ts'

export interface PhpCommand {
  /** Shown to the job read-only. */
  folder: string
  env: Readonly<Record<string, string>>
}

export function ensurePhpCommand(
  { paths, registry }: { paths: Paths; registry: Registry },
  version: PhpVersion,
): PhpCommand {
  const folder = paths.cronPhp(version)
  const bin = join(folder, 'bin')
  const ini = join(folder, 'conf.d/99-reeve.ini')
  for (const path of [bin, dirname(ini)]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o755)
  }
  linkTo(programPath(phpProgram(version)), join(bin, 'php'))
  writeManagedFile(registry, {
    path: ini,
    text: renderCronPhpIni(),
    mode: 0o644,
    renderer: 'cron/php-ini',
    siteId: null,
  })
  const env = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    PHP_INI_SCAN_DIR: `/etc/php/${version}/cli/conf.d:${dirname(ini)}`,
  }
  return { folder, env }
}

function linkTo(target: string, path: string): void {
  if (existsSync(path) && readlinkSync(path) === target) return
  const next = `${path}.new`
  if (existsSync(next)) unlinkSync(next)
  symlinkSync(target, next)
  renameSync(next, path)
}
