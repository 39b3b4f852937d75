import { existsSync, unlinkSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import type { SiteUser } from '../as-site-user.ts'
import type { AgentContext } from '../context.ts'
import {
  type ManagedFile,
  planManagedFile,
  retireManagedFile,
  sha256,
  writeManagedFile,
} from '../managed-file.ts'
import type { SiteWork } from '../sites/apply.ts'
import { endProcesses } from '../sites/user.ts'
import { isPoolServed, type PhpService, provePoolText } from './fpm.ts'
import { type PoolInput, renderPool } from './render-pool.ts'
import { workerBudget } from './versions.ts'

export function poolOf(context: AgentContext, work: Pick<SiteWork, 'spec' | 'user'>): PoolInput {
  const { spec, user } = work
  return {
    domain: spec.domain,
    user: user.user,
    socket: context.paths.fpmSocket(user.user, phpOf(context, spec).version),
    workers: workersOf(spec),
    limits: spec.php_limits,
  }
}

/** Workers in force: the operator's number, or as many as the memory budget allows. */
export const workersOf = (spec: SiteSpec): number => spec.php_workers ?? workerBudget()

/** The site's pool as its document asks for it. */
export function poolFile(context: AgentContext, work: Pick<SiteWork, 'spec' | 'user'>): ManagedFile {
  const { spec, user } = work
  const path = context.paths.fpmPool(phpOf(context, spec).version, user.user)
  const text = renderPool(context.paths, poolOf(context, work))
  return { path, text, mode: 0o640, renderer: 'php/pool', siteId: spec.id }
}

/** Proves a changed pool under a throwaway master, then gives it to the real one and waits until it answers. */
export async function applyPool(context: AgentContext, work: SiteWork): Promise<void> {
  const { paths, registry } = context
  const { spec } = work
  const php = phpOf(context, spec)
  const pool = poolOf(context, work)
  const file = poolFile(context, work)
  const text = planManagedFile(registry, file)
  if (text !== undefined && registry.findFile(file.path)?.sha256 !== sha256(text)) {
    await provePoolText(paths, { user: pool.user, text }, php.version)
  }
  await php.change(() => [writeManagedFile(registry, file)])
  if (await isPoolServed(pool.socket)) return
  throw new AppError(
    'internal',
    `The PHP pool of ${spec.domain} does not answer; see ${paths.fpmLog(php.version)}.`,
  )
}

/** Ends the site's pools of other versions, once nothing is sent to them any more; running requests finish. */
export async function retireOtherPools(context: AgentContext, work: SiteWork): Promise<void> {
  const { paths, registry } = context
  const others = [...context.php.values()].filter(
    ({ version }) =>
      version !== work.spec.php_version && registry.findFile(paths.fpmPool(version, work.user.user)),
  )
  if (others.length === 0) return
  // A request that was read before the reload is still sent to the old pool.
  await context.webServer.drained()
  for (const php of others) await retirePool(context, php, work.user)
}

/** Takes the pool from whichever version serves it; its running requests end with it. */
export async function removePool(context: AgentContext, user: SiteUser): Promise<void> {
  for (const php of context.php.values()) await retirePool(context, php, user)
  await endProcesses(user)
}

async function retirePool({ paths, registry }: AgentContext, php: PhpService, user: SiteUser): Promise<void> {
  const path = paths.fpmPool(php.version, user.user)
  await php.change(() => [retireManagedFile(registry, path)])
  // A master that was killed could not remove it, and the next one does not know it.
  const socket = paths.fpmSocket(user.user, php.version)
  if (existsSync(socket)) unlinkSync(socket)
}

function phpOf(context: AgentContext, { php_version: version }: SiteSpec): PhpService {
  const php = version === null ? undefined : context.php.get(version)
  if (php) return php
  throw new AppError('internal', `PHP ${version ?? ''} is not served here.`)
}
