// A site's SFTP: everything that lets somebody in comes last, and is proven before; everything that keeps somebody out
// comes first.
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { accessApply } from '@reeve/contract/access.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { z } from 'zod'
import type { SiteUser } from '../as-site-user.ts'
import { run } from '../command.ts'
import type { AgentContext } from '../context.ts'
import { failpoint } from '../failpoint.ts'
import { removeManagedFile, writeManagedFile } from '../managed-file.ts'
import type { RegisteredSite } from '../registry.ts'
import { siteUserOf } from '../sites/user.ts'
import {
  addToGroup,
  keysOnly,
  locked,
  maySignIn,
  passwordField,
  removeFromGroup,
  setPasswordField,
} from './account.ts'
import { sftpSettings } from './render-sshd.ts'
import { endSessions } from './sessions.ts'

type Wanted = Omit<z.output<typeof accessApply.input>, 'id'>

export async function applyAccess(context: AgentContext, site: RegisteredSite, wanted: Wanted) {
  const user = siteUserOf(context.paths, site)
  await context.hostLock.hold('sftp', async () => {
    if (wanted.enabled) await letIn(context, site, user, wanted)
    else await keepOut(context, user)
  })
  return describeAccess(context, site)
}

export function describeAccess({ config, paths, sftp }: AgentContext, site: RegisteredSite) {
  return { host: config.panel?.domain ?? hostname(), port: sftp.port, user: siteUserOf(paths, site).user }
}

/** Before the user goes; a site that never had SFTP is left alone. */
export async function removeAccess(context: AgentContext, site: RegisteredSite): Promise<void> {
  const user = siteUserOf(context.paths, site)
  const hasTraces = maySignIn(user.user) || existsSync(context.paths.sshKeysOf(user.user))
  if (hasTraces) await context.hostLock.hold('sftp', () => keepOut(context, user))
}

/** At the agent's start: whoever may sign in can do so. */
export async function resumeAccess(context: AgentContext): Promise<void> {
  if (usersWithAccess(context).length > 0) await context.sftp.open()
}

async function letIn(
  context: AgentContext,
  site: RegisteredSite,
  user: SiteUser,
  wanted: Wanted,
): Promise<void> {
  const { hostLock, sftp } = context
  const field = wanted.password_hash ?? keysOnly
  const wasMember = maySignIn(user.user)
  if (wasMember) await takeAway(context, site, user, wanted.keys, field)
  try {
    await addToGroup(hostLock, user.user)
    failpoint('access.apply.group', 'after')
    await sftp.open()
    await proveConfinement(context, user)
  } catch (error) {
    if (!wasMember) await keepOut(context, user)
    throw error
  }
  writeKeys(context, site, user, wanted.keys)
  failpoint('access.apply.keys', 'after')
  await setPasswordField(hostLock, user.user, field)
}

/** Keys and the password that are not wanted any more, with the sessions that may be theirs. */
async function takeAway(
  context: AgentContext,
  site: RegisteredSite,
  user: SiteUser,
  keys: readonly string[],
  field: string,
): Promise<void> {
  const before = keysOf(context, user)
  const kept = before.filter((key) => keys.includes(key))
  const isOtherPassword = passwordField(user.user) !== field
  if (isOtherPassword) await setPasswordField(context.hostLock, user.user, keysOnly)
  if (kept.length < before.length) writeKeys(context, site, user, kept)
  if (isOtherPassword || kept.length < before.length) await endSessions(user)
}

async function keepOut(context: AgentContext, user: SiteUser): Promise<void> {
  const { hostLock, registry, paths, sftp } = context
  if (passwordField(user.user) !== undefined) await setPasswordField(hostLock, user.user, locked)
  await removeFromGroup(hostLock, user.user)
  removeManagedFile(registry, paths.sshKeysOf(user.user))
  await endSessions(user)
  if (usersWithAccess(context).length === 0) await sftp.close()
}

export const usersWithAccess = ({ paths, registry }: Pick<AgentContext, 'paths' | 'registry'>): SiteUser[] =>
  registry
    .listSites()
    .map((site) => siteUserOf(paths, site))
    .filter(({ user }) => maySignIn(user))

function keysOf({ paths }: AgentContext, { user }: SiteUser): string[] {
  const path = paths.sshKeysOf(user)
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
}

/** Root's, outside the site's directory: the user reads it and cannot change it. */
function writeKeys(
  { paths, registry }: AgentContext,
  site: RegisteredSite,
  user: SiteUser,
  keys: readonly string[],
): void {
  const path = paths.sshKeysOf(user.user)
  if (keys.length === 0) {
    removeManagedFile(registry, path)
    return
  }
  mkdirSync(paths.sshKeys, { recursive: true })
  chmodSync(paths.sshKeys, 0o711)
  writeManagedFile(registry, {
    path,
    text: keys.map((key) => `${key}\n`).join(''),
    mode: 0o640,
    gid: user.gid,
    renderer: 'access/keys',
    siteId: site.spec.id,
  })
}

/** Asks sshd itself what it will do for this user: another line of the administrator's may come before ours. */
async function proveConfinement({ paths, sftp }: AgentContext, { user, home }: SiteUser): Promise<void> {
  const connection = `user=${user},host=client.invalid,addr=192.0.2.1,laddr=192.0.2.2,lport=${sftp.port}`
  const { stdout } = await run('sshd', ['-T', '-C', connection, ...sftp.configuration], { timeoutMs: 10_000 })
  const effective = new Set(stdout.split('\n').map((line) => line.toLowerCase().trim()))
  const wanted = [
    ...sftpSettings.filter(([name]) => provenSettings.has(name)),
    ['AuthorizedKeysFile', `${paths.sshKeys}/%u`],
  ]
  const missing = wanted.find(([name, value]) => !effective.has(`${name} ${value}`.toLowerCase()))
  const isConfined =
    effective.has('chrootdirectory %h') || effective.has(`chrootdirectory ${home}`.toLowerCase())
  if (isConfined && !missing) return
  throw new AppError(
    'refused',
    `sshd would not confine ${user} to its site (${missing?.[0] ?? 'ChrootDirectory'} is set elsewhere), so SFTP was not turned on. "sshd -T -C ${connection}" shows what is in force.`,
  )
}

const provenSettings: ReadonlySet<string> = new Set([
  ...['ForceCommand', 'AuthorizedKeysCommand', 'TrustedUserCAKeys', 'DisableForwarding', 'PermitTTY'],
  ...['PermitUserRC', 'PermitTunnel', 'AllowTcpForwarding', 'AllowAgentForwarding', 'PermitEmptyPasswords'],
])
