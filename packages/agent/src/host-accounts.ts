// The host's users and groups, read from passwd(5) and group(5).
import { readFileSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'

export interface HostUser {
  name: string
  uid: number
  gid: number
  home: string
}

export function hostUsers(): HostUser[] {
  return rows('/etc/passwd').map(([name = '', , uid, gid, , home = '']) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
    home,
  }))
}

export function findUser(name: string): HostUser | undefined {
  return hostUsers().find((user) => user.name === name)
}

export function userOf(name: string): HostUser {
  const user = findUser(name)
  if (user) return user
  throw new AppError('internal', `The system user ${name} is missing; install the package that brings it.`)
}

export function groupId(name: string): number {
  const row = rows('/etc/group').find(([group]) => group === name)
  if (row) return Number(row[2])
  throw new AppError('internal', `The system group ${name} is missing; install the package that brings it.`)
}

/** Users that the group lists; who has it as the primary group is not among them. */
export function groupMembers(name: string): string[] {
  const [, , , members = ''] = rows('/etc/group').find(([group]) => group === name) ?? []
  return members.split(',').filter(Boolean)
}

export const hasGroup = (name: string): boolean => rows('/etc/group').some(([group]) => group === name)

/** The files that useradd and userdel change, in this order, one after the other. */
const accountFiles = ['/etc/passwd', '/etc/shadow', '/etc/group', '/etc/gshadow']

/** A power cut between two of the files leaves the name, which is also the group's, in some of them. */
export function accountState(name: string): 'whole' | 'partial' | 'none' {
  const count = accountFiles.filter((path) => rows(path).some(([entry]) => entry === name)).length
  if (count === 0) return 'none'
  return count === accountFiles.length ? 'whole' : 'partial'
}

const rows = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(':'))
