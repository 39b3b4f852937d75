// What the renderers would write for the sites now. Files that are not here are written anew at every start.
import { usesPhp } from '@reeve/contract/sites.ts'
import type { AgentContext } from '../context.ts'
import type { ManagedFile } from '../managed-file.ts'
import { poolFile } from '../php/pool.ts'
import type { RegisteredSite } from '../registry.ts'
import { siteUserOf } from '../sites/user.ts'
import { passwordFile, vhostFile } from '../web-server/vhost.ts'

/** By path. A site that is being worked on is left out: its files follow its document in a moment. */
export function wouldRender(context: AgentContext): ReadonlyMap<string, ManagedFile> {
  const idle = context.registry.listSites().filter(({ spec }) => !context.siteLock.isHeld(spec.id))
  return new Map(idle.flatMap((site) => filesOfSite(context, site)).map((file) => [file.path, file]))
}

/** One that cannot be rendered is not said to differ; the next change of the site tells why. */
export function filesOfSite(context: AgentContext, site: RegisteredSite): ManagedFile[] {
  const { spec } = site
  const user = siteUserOf(context.paths, site)
  try {
    const files = [vhostFile(context, { spec, user }), passwordFile(context, spec)]
    if (usesPhp(spec.type) && spec.php_version !== null) files.push(poolFile(context, { spec, user }))
    return files.filter((file) => file !== undefined)
  } catch (error) {
    context.log('not rendered for comparison', { site: spec.id, error: String(error) })
    return []
  }
}
