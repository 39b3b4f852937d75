// System users of sites: `site-<n>` with uid 20000 + n, no password, no shell, no home of their own to write.
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteUser } from '../as-site-user.ts'
import { run } from '../command.ts'
import { accountState, findUser, type HostUser, hasGroup, hostUsers } from '../host-accounts.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import type { Paths } from '../paths.ts'
import { pidsOfUser, signal, waitUntil } from '../processes.ts'
import { firstSiteUid, type RegisteredSite } from '../registry.ts'

export function siteUserOf(paths: Paths, site: RegisteredSite): SiteUser {
  const uid = firstSiteUid + site.number
  const { domain } = site.spec
  return { domain, user: `site-${site.number}`, uid, gid: uid, home: paths.site(domain) }
}

/** Tells whether the host has the name or uid of a number already, from another installation or by hand. */
export function siteNumbersOfHost(): (number: number) => boolean {
  const users = hostUsers()
  const names = new Set(users.map(({ name }) => name))
  const uids = new Set(users.map(({ uid }) => uid))
  return (number) => names.has(`site-${number}`) || uids.has(firstSiteUid + number)
}

const isOurs = (known: HostUser, site: SiteUser): boolean =>
  known.uid === site.uid && known.home === site.home

export async function ensureUser(lock: KeyedLock, site: SiteUser): Promise<void> {
  const known = findUser(site.user)
  if (known && !isOurs(known, site))
    throw new AppError('conflict', `The user ${site.user} exists with uid ${known.uid}; remove or rename it.`)
  await lock.hold('passwd', async () => {
    if (accountState(site.user) === 'whole') return
    await deleteAccount(site)
    await addAccount(site)
  })
}

export async function removeUser(lock: KeyedLock, site: SiteUser): Promise<void> {
  await lock.hold('passwd', async () => {
    const known = findUser(site.user)
    // Another installation on this host may have taken the name first.
    if (known && !isOurs(known, site)) return
    await deleteAccount(site)
    if (findUser(site.user) || accountState(site.user) === 'none') return
    // What is left stands in no passwd(5), where userdel looks first; so it is made whole once more.
    await addAccount(site)
    await deleteAccount(site)
  })
}

/** useradd locks the password file and fails when it is locked, so one at a time and with retries. */
async function addAccount(site: SiteUser): Promise<void> {
  const args = [
    // No ranges of further ids: a site never makes a user namespace, and they run out after some thousand sites.
    ...['--key', 'SUB_UID_COUNT=0', '--key', 'SUB_GID_COUNT=0'],
    ...['--uid', String(site.uid), '--user-group', '--no-create-home', '--home-dir', site.home],
    ...['--shell', '/usr/sbin/nologin', '--no-log-init', '--comment', `Reeve ${site.domain}`, site.user],
  ]
  await retryWhileLocked(() => run('useradd', args, { timeoutMs: 20_000 }))
}

async function deleteAccount({ user }: SiteUser): Promise<void> {
  if (findUser(user)) {
    // Without force it refuses for a worker that has ended but that PHP-FPM has not noticed yet.
    await retryWhileLocked(() => run('userdel', ['--force', user], { timeoutMs: 20_000 }))
  }
  if (hasGroup(user)) await retryWhileLocked(() => run('groupdel', [user], { timeoutMs: 20_000 }))
}

/** Ends every process of the user, and returns when none is left. */
export async function endProcesses(site: SiteUser): Promise<void> {
  const isGone = await waitUntil(() => {
    const pids = pidsOfUser(site.uid)
    for (const pid of pids) signal(pid, 'SIGKILL')
    return pids.length === 0
  }, 5000)
  if (!isGone) throw new AppError('internal', `Processes of ${site.user} do not end.`)
}

export async function retryWhileLocked(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      const isLocked = error instanceof Error && /cannot lock/.test(error.message)
      if (!isLocked || attempt === 10) throw error
      await new Promise((resolve) => setTimeout(resolve, 100 * attempt))
    }
  }
}
