import { AppError } from '@reeve/contract/errors.ts'
import type { SiteUser } from '../as-site-user.ts'
import { pidsOfUser, signal, title, waitUntil } from '../processes.ts'

/** Ends the open SFTP sessions of the user, and returns when none is left. */
export async function endSessions({ user, uid }: Pick<SiteUser, 'user' | 'uid'>): Promise<void> {
  const isEnded = await waitUntil(() => {
    const pids = sessionPids(user, uid)
    for (const pid of pids) signal(pid, 'SIGKILL')
    return pids.length === 0
  }, 5000)
  if (!isEnded) throw new AppError('internal', `SFTP sessions of ${user} do not end.`)
}

/** One half of a session is root's, the other the user's own; both say in their title whose they are. */
function sessionPids(user: string, uid: number): number[] {
  const pattern = new RegExp(`^sshd(?:-session)?: ${user}(?:[ @]|$)`)
  return [...pidsOfUser(0), ...pidsOfUser(uid)].filter((pid) => pattern.test(title(pid)))
}
