// The system account's side of SFTP: its group and its password. Passwords reach chpasswd by standard input, as hashes.
import { readFileSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import { run } from '../command.ts'
import { groupMembers, hasGroup } from '../host-accounts.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { retryWhileLocked } from '../sites/user.ts'
import { sftpGroup } from './render-sshd.ts'

const options = { timeoutMs: 20_000 }

export const maySignIn = (user: string): boolean => groupMembers(sftpGroup).includes(user)

/** Does nothing for who is a member already. */
export async function addToGroup(lock: KeyedLock, user: string): Promise<void> {
  await lock.hold('passwd', async () => {
    if (!hasGroup(sftpGroup))
      await retryWhileLocked(() => run('groupadd', ['--system', '--force', sftpGroup], options))
    if (!maySignIn(user)) await retryWhileLocked(() => run('gpasswd', ['--add', user, sftpGroup], options))
  })
}

export async function removeFromGroup(lock: KeyedLock, user: string): Promise<void> {
  await lock.hold('passwd', async () => {
    if (maySignIn(user)) await retryWhileLocked(() => run('gpasswd', ['--delete', user, sftpGroup], options))
  })
}

/** No password fits; an account that begins with `!` would be locked for keys too (sshd without PAM). */
export const keysOnly = '*'
/** The account is locked, as a new one is. */
export const locked = '!'

/** What shadow(5) holds as the user's password; undefined without the user. */
export function passwordField(user: string): string | undefined {
  const line = readFileSync('/etc/shadow', 'utf8')
    .split('\n')
    .find((row) => row.startsWith(`${user}:`))
  return line?.split(':')[1]
}

/** True when it was another one. */
export async function setPasswordField(lock: KeyedLock, user: string, field: string): Promise<boolean> {
  if (!/^(?:[!*]|\$6\$[./0-9A-Za-z$=]{1,150})$/.test(field)) {
    throw new AppError(
      'refused',
      `The password of ${user} is no hash that the system knows; nothing was changed.`,
    )
  }
  return await lock.hold('passwd', async () => {
    const before = passwordField(user)
    if (before === undefined) throw new AppError('internal', `The system user ${user} is missing.`)
    if (before === field) return false
    await retryWhileLocked(() =>
      run('chpasswd', ['--encrypted'], { ...options, input: `${user}:${field}\n` }),
    )
    return true
  })
}
