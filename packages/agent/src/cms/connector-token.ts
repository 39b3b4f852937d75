import { createHash } from 'node:crypto'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { isCms } from '@reeve/contract/sites.ts'
import type { AgentContext } from '../context.ts'
import { writeManagedFile } from '../managed-file.ts'
import { newSecret } from '../registry.ts'
import { siteUserOf } from '../sites/user.ts'
import { wpConfigFile } from './wp-config.ts'

export const tokenSha256 = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * Writes a new token into the site's wp-config.php. When this ends in the middle, the site's next apply writes the
 * file and answers with the token's hash.
 */
export function rotateConnectorToken(context: AgentContext, id: SiteId): Promise<string> {
  const { registry, paths, siteLock } = context
  return siteLock.hold(id, async () => {
    const registered = registry.requireSite(id)
    if (!registered.isInstalled || !isCms(registered.spec.type)) {
      throw new AppError('refused', 'Only an installed WordPress site has a connector.')
    }
    const secrets = { ...registered.secrets, connectorToken: newSecret() }
    registry.storeSecrets(id, secrets)
    try {
      const user = siteUserOf(paths, registered)
      const site = { spec: registered.spec, user, registered: { ...registered, secrets } }
      writeManagedFile(registry, wpConfigFile(context, site))
    } catch (error) {
      registry.storeSecrets(id, registered.secrets)
      throw error
    }
    return tokenSha256(secrets.connectorToken)
  })
}
