import { AppError } from '@reeve/contract/errors.ts'
import type { SiteUser } from '../as-site-user.ts'
import type { AgentContext } from '../context.ts'
import { retireManagedFile, writeManagedFile } from '../managed-file.ts'
import type { SiteWork } from '../sites/apply.ts'
import { endProcesses } from '../sites/user.ts'
import { isPoolServed, type PhpService, provePool } from './fpm.ts'
import { defaultPhpLimits, type PhpLimits, type PoolInput, renderPool } from './render-pool.ts'
import { workerBudget } from './versions.ts'

export const siteLimits = (): PhpLimits => defaultPhpLimits

export function poolOf(context: AgentContext, work: Pick<SiteWork, 'spec' | 'user'>): PoolInput {
  const { spec, user } = work
  return {
    domain: spec.domain,
    user: user.user,
    socket: context.paths.fpmSocket(user.user),
    workers: spec.php_workers ?? workerBudget(),
    limits: siteLimits(),
  }
}

/** Proves the pool under a throwaway master, then gives it to the real one and waits until it answers. */
export async function applyPool(context: AgentContext, work: SiteWork): Promise<void> {
  const { paths, registry } = context
  const { spec, user } = work
  const php = phpOf(context, work)
  const pool = poolOf(context, work)
  const path = paths.fpmPool(php.version, user.user)
  const text = renderPool(paths, pool)
  if ((registry.findFile(path)?.sha256 ?? null) === null) await provePool(paths, pool, php.version)
  await php.change(() => [
    writeManagedFile(registry, { path, text, mode: 0o640, renderer: 'php/pool', siteId: spec.id }),
  ])
  if (await isPoolServed(pool.socket)) return
  throw new AppError(
    'internal',
    `The PHP pool of ${spec.domain} does not answer; see ${paths.fpmLog(php.version)}.`,
  )
}

/** Takes the pool from whichever version serves it; its running requests end with it. */
export async function removePool(context: AgentContext, user: SiteUser): Promise<void> {
  const { paths, registry } = context
  for (const php of context.php.values()) {
    const path = paths.fpmPool(php.version, user.user)
    await php.change(() => [retireManagedFile(registry, path)])
  }
  await endProcesses(user)
}

function phpOf(context: AgentContext, work: SiteWork): PhpService {
  const version = work.spec.php_version
  const php = version === null ? undefined : context.php.get(version)
  if (php) return php
  throw new AppError('internal', `PHP ${version ?? ''} is not served here.`)
}
