// Everything a WordPress site needs that does not depend on the site, made before the first one asks for it.
import type { AgentContext } from '../context.ts'
import { describeError } from '../log.ts'
import { type Core, ensureCore } from './core.ts'
import { parseCoreSource } from './core-source.ts'
import { seedOpcache } from './opcache.ts'
import { ensureTemplate } from './template.ts'

export async function configuredCore({ paths, config, hostLock }: AgentContext): Promise<Core> {
  return ensureCore({ paths, source: parseCoreSource(config.wordpressSource), lock: hostLock })
}

/** Runs beside the agent's work. A failure is only logged: the first site tries again and reports it. */
export async function prepareCms(context: AgentContext): Promise<void> {
  try {
    const core = await configuredCore(context)
    await ensureTemplate({ paths: context.paths, lock: context.hostLock }, core)
    for (const version of context.php.keys()) await seedOpcache(context.paths, core, version)
  } catch (error) {
    context.log('WordPress could not be prepared', { error: describeError(error) })
  }
}
