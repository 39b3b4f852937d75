// Whether the program that reads a file would take it as somebody edited it, before it is taken for right.
import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import type { AgentContext } from '../context.ts'
import type { FileRow } from '../ledger.ts'
import { pingPool } from '../php/fastcgi.ts'
import { fpmArguments, fpmEnvironment, proofDirectory } from '../php/fpm.ts'
import { fpmBinary } from '../php/versions.ts'
import { waitUntil } from '../processes.ts'
import { startTemporary } from '../services/temporary.ts'
import { testTree } from '../web-server/check-site.ts'

export async function checkAccepted(context: AgentContext, row: FileRow, text: string): Promise<void> {
  if (row.renderer.startsWith('web-server/')) {
    await context.hostLock.hold('nginx check', () => testTree(context.paths))
  }
  if (row.renderer === 'php/pool') {
    const php = [...context.php.values()].find(({ version }) => row.path.includes(`/php/${version}/`))
    if (php) await provePoolText(context, php.version, text)
  }
}

/** A pool that kills its master would take every site's PHP with it, so a throwaway master runs it first. */
async function provePoolText({ paths }: AgentContext, version: PhpVersion, text: string): Promise<void> {
  const directory = proofDirectory(paths)
  mkdirSync(directory, { recursive: true, mode: 0o755 })
  const [socket, config, errors] = ['sock', 'conf', 'log'].map((end) =>
    join(directory, `accepted.${end}`),
  ) as [string, string, string] // map keeps the length
  const pool = text.replace(/^listen\s*=.*$/m, `listen = ${socket}`)
  if (!pool.includes(socket))
    throw new AppError('refused', 'The pool has no "listen" line; restore the file.')
  writeFileSync(config, `[global]\ndaemonize = no\nerror_log = ${errors}\n\n${pool}`, { mode: 0o600 })
  try {
    await using master = startTemporary(
      fpmBinary(version),
      fpmArguments(config),
      fpmEnvironment(paths, version),
    )
    const answered = await waitUntil(async () => master.hasEnded() || (await pingPool(socket)), 10_000)
    if (answered && !master.hasEnded()) return
    const reason = existsSync(errors) ? readFileSync(errors, 'utf8') : master.errors()
    throw new AppError('refused', `PHP-FPM ${version} refused the pool: ${reason.trim()}`)
  } finally {
    for (const path of [socket, config, errors]) if (existsSync(path)) unlinkSync(path)
  }
}
