// Makes the server serve a site as its document says. Every step finds out what is there and adds what is
// missing, so the same call creates a site, repairs one, and changes nothing on a healthy one.
import { AppError } from '@reeve/contract/errors.ts'
import { isCms, type SiteSpec, type siteApply, usesDatabase, usesPhp } from '@reeve/contract/sites.ts'
import type { z } from 'zod'
import type { SiteUser } from '../as-site-user.ts'
import { certificateFacts } from '../certificates/facts.ts'
import { ensureSelfSigned } from '../certificates/self-signed.ts'
import { tokenSha256 } from '../cms/connector-token.ts'
import type { AgentContext } from '../context.ts'
import { databaseName, ensureDatabase } from '../database/mariadb.ts'
import type { Progress } from '../dispatch.ts'
import { applyLogRotation } from '../logs/site-rotation.ts'
import { ensureRedisAccount, hasRedisAccount, removeRedisAccount } from '../object-cache/redis.ts'
import { askFrontPage } from '../php/front-page.ts'
import { applyPool, retireOtherPools, workersOf } from '../php/pool.ts'
import type { RegisteredSite } from '../registry.ts'
import { runSteps, type Step } from '../steps.ts'
import { applyVhost } from '../web-server/vhost.ts'
import { installApplication, releasedCmsVersion } from './application.ts'
import { ensureSiteDirectories } from './layout.ts'
import { ensureUser, siteNumbersOfHost, siteUserOf } from './user.ts'
import { verifyServed } from './verify.ts'

type Input = z.output<typeof siteApply.input>
type Output = z.input<typeof siteApply.output>

/** One site being applied: its registry row, its user, and what the steps hand on. */
export interface SiteWork {
  registered: RegisteredSite
  user: SiteUser
  spec: SiteSpec
  adminPasswordHash: string | null
  progress: Progress
}

export async function applySite(context: AgentContext, input: Input, progress: Progress): Promise<Output> {
  const spec = withPhpVersion(context, input.site)
  return context.siteLock.hold(spec.id, async () => {
    const registered = context.registry.reserveSite(spec, siteNumbersOfHost())
    const user = siteUserOf(context.paths, registered)
    const work: SiteWork = { registered, user, spec, adminPasswordHash: input.admin_password_hash, progress }
    await runSteps('site.apply', stepsOf(context, work), progress)
    return outcome(context, work)
  })
}

function stepsOf(context: AgentContext, work: SiteWork): Step[] {
  const { spec, user, registered } = work
  const { paths } = context
  const database = { name: databaseName(registered.number), password: registered.secrets.databasePassword }
  const isNew = !registered.isInstalled
  let isTakenUp = false
  const steps: Step[] = [
    { name: 'user', after: [], run: () => ensureUser(context.hostLock, user) },
    {
      name: 'certificate',
      after: [],
      run: async () => {
        await ensureSelfSigned(paths.siteTls(spec.id), [spec.domain, ...spec.aliases])
      },
    },
    {
      name: 'files',
      after: ['user'],
      run: async () => {
        await ensureSiteDirectories(user)
        applyLogRotation(context, registered, user)
      },
    },
  ]
  if (usesDatabase(spec.type)) {
    steps.push({ name: 'database', after: [], run: () => ensureDatabase(paths, database) })
  }
  if (usesPhp(spec.type)) {
    steps.push({ name: 'object cache', after: [], run: () => applyObjectCache(context, work) })
    steps.push({ name: 'php', after: ['files'], run: () => applyPool(context, work) })
  }
  steps.push(
    {
      name: 'application',
      after: ['files', 'database'],
      run: async () => {
        await installApplication(context, work)
        // With many sites the web server takes longest; PHP can use the wait to make the first page.
        if (isNew && !isTakenUp) await warmPool(context, work)
      },
    },
    {
      name: 'web server',
      // Requests are sent to another pool only when it answers. Nobody visits a site that is just being made, and a
      // reload with many sites takes longest of all, so it does not wait.
      after: ['certificate', ...(isNew ? [] : ['files', 'php'])],
      run: async () => {
        await applyVhost(context, work)
        isTakenUp = true
      },
    },
    {
      name: 'verify',
      after: ['application', 'web server', 'php', 'object cache'],
      run: async () => {
        await verifyServed(context, work)
        if (usesPhp(spec.type)) await retireOtherPools(context, work)
      },
    },
  )
  return steps
}

async function warmPool({ paths, config }: AgentContext, { spec, user }: SiteWork): Promise<void> {
  const { domain, type, php_version: version } = spec
  if (version === null || !isCms(type)) return
  await askFrontPage(paths, { domain, type, user: user.user, version, httpsPort: config.httpsPort })
}

async function applyObjectCache(context: AgentContext, work: SiteWork): Promise<void> {
  const account = { name: work.user.user, password: work.registered.secrets.redisPassword }
  if (work.spec.object_cache) await ensureRedisAccount(context, account)
  else if (hasRedisAccount(context, account.name)) await removeRedisAccount(context, account.name)
}

/** Fixes the PHP version at the first apply; one that is not installed is refused with those that are. */
function withPhpVersion(context: AgentContext, spec: SiteSpec): SiteSpec {
  if (!usesPhp(spec.type)) return { ...spec, php_version: null }
  const available = [...context.php.keys()]
  const version = spec.php_version ?? context.registry.findSite(spec.id)?.spec.php_version ?? available[0]
  if (version !== undefined && available.includes(version)) return { ...spec, php_version: version }
  const message = version
    ? `PHP ${version} has no FPM binary on this server. Available: ${available.join(', ') || 'none'}.`
    : 'No PHP version is installed on this server.'
  throw new AppError('refused', message, { field: 'php_version', available })
}

function outcome(context: AgentContext, work: SiteWork): Output {
  const { spec, registered, user } = work
  return {
    system_user: user.user,
    php_version: spec.php_version,
    php_workers: usesPhp(spec.type) ? workersOf(spec) : null,
    cms_version: isCms(spec.type) ? releasedCmsVersion(user) : null,
    certificate: certificateFacts(context.paths, spec.id),
    connector_token_sha256: tokenSha256(registered.secrets.connectorToken),
  }
}
