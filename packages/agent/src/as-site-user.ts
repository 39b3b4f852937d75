// The one way to run anything that touches a site's files: as the site's user, without capabilities, in a
// mount namespace that shows only that site. What a hostile tree can do there, the site could do anyway.
import type { Domain } from '@reeve/contract/primitives.ts'
import { type CommandOptions, type CommandResult, type Program, programPath, run } from './command.ts'

export interface SiteUser {
  domain: Domain
  /** `site-<n>` */
  user: string
  uid: number
  gid: number
  /** The site's directory, `/srv/sites/<domain>` below the root prefix. */
  home: string
}

export interface SiteCommandOptions extends CommandOptions {
  /** Shown read-only beside the site, at the same paths: shared cores, the runner. */
  readOnly?: readonly string[]
  /** Shown writable: sockets of the database and the object cache. */
  writable?: readonly string[]
  /** The host's network, as the site's PHP has it; without it there is none. */
  hasNetwork?: boolean
}

export function runAsSite(
  site: SiteUser,
  program: Program,
  args: readonly string[],
  options: SiteCommandOptions,
): Promise<CommandResult> {
  const { readOnly = [], writable = [], hasNetwork = false, ...command } = options
  return run(
    'bwrap',
    [
      ...namespace([...readOnly], [site.home, ...writable]),
      ...(hasNetwork ? [] : ['--unshare-net']),
      '--',
      ...dropTo(site),
      programPath(program),
      ...args,
    ],
    command,
  )
}

// No user namespace: root's bwrap with --uid would map to root on the host. The three capabilities are what
// setpriv needs to give up everything, itself included.
function namespace(readOnly: readonly string[], writable: readonly string[]): string[] {
  return [
    ...['--die-with-parent', '--new-session', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...[
      '--cap-drop',
      'ALL',
      '--cap-add',
      'CAP_SETUID',
      '--cap-add',
      'CAP_SETGID',
      '--cap-add',
      'CAP_SETPCAP',
    ],
    ...['--ro-bind', '/usr', '/usr'],
    ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/sbin', '/sbin'],
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...ancestorsOf([...systemFiles, ...readOnly, ...writable]).flatMap((path) => [
      ...['--perms', '0755', '--dir', path],
    ]),
    ...systemFiles.flatMap((path) => ['--ro-bind-try', path, path]),

    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...writable.flatMap((path) => ['--bind', path, path]),
  ]
}

/** Directories above the mounts, outermost first; those bwrap makes by itself are closed to the site's user. */
function ancestorsOf(mounts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const mount of mounts) {
    const parts = mount.split('/').filter(Boolean)
    for (let depth = 1; depth < parts.length; depth++) found.add(`/${parts.slice(0, depth).join('/')}`)
  }
  return [...found].sort((a, b) => a.length - b.length)
}

const systemFiles = [
  '/etc/alternatives',
  '/etc/php',
  '/etc/ssl/certs',
  '/etc/passwd',
  '/etc/group',
  '/etc/nsswitch.conf',
  '/etc/hosts',
  '/etc/resolv.conf',
  '/etc/localtime',
  '/etc/mime.types',
]

function dropTo(site: SiteUser): string[] {
  return [
    programPath('setpriv'),
    `--reuid=${site.uid}`,
    `--regid=${site.gid}`,
    '--clear-groups',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--bounding-set=-all',
    '--no-new-privs',
    '--',
  ]
}
