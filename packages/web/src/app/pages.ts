import type { AccountRole } from '@reeve/contract/accounts.ts'
import { strings } from '../lib/strings.ts'

export interface PageLink {
  label: string
  to: '/' | '/sites' | '/drift' | '/logs' | '/tasks' | '/users' | '/audit' | '/account'
}

const everyPage: readonly PageLink[] = [
  { label: strings.shell.overview, to: '/' },
  { label: strings.shell.sites, to: '/sites' },
  { label: strings.shell.tasks, to: '/tasks' },
  { label: strings.shell.drift, to: '/drift' },
  { label: strings.shell.logs, to: '/logs' },
  { label: strings.shell.users, to: '/users' },
  { label: strings.shell.audit, to: '/audit' },
  { label: strings.shell.account, to: '/account' },
]

/** Role decides what exists: an operator has no server, only sites. */
export function pagesFor(role: AccountRole): readonly PageLink[] {
  if (role !== 'operator') return everyPage
  return everyPage.filter(({ to }) => to === '/sites' || to === '/tasks' || to === '/account')
}
