// The directories of a site. Everything root writes here lies below directories that only root can replace.
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SiteUser } from '../as-site-user.ts'
import { run } from '../command.ts'
import { syncDirectory } from '../managed-file.ts'

export interface SiteLayout {
  home: string
  releases: string
  shared: string
  current: string
  logs: string
  /** Holds `sessions`, `uploads` and `php` (the temporary files), which are the site's; itself root's. */
  tmp: string
}

export function layoutOf(home: string): SiteLayout {
  return {
    home,
    releases: join(home, 'releases'),
    shared: join(home, 'shared'),
    current: join(home, 'current'),
    logs: join(home, 'logs'),
    tmp: join(home, 'tmp'),
  }
}

/**
 * The home is root's and closed to everybody but the site's user and nginx, who come in by ACL; so no mode
 * that a site gives its own files can open them to another site.
 */
export async function ensureSiteDirectories(site: SiteUser): Promise<SiteLayout> {
  const layout = layoutOf(site.home)
  ensureDirectory(layout.home, 0o750, 0, 0)
  await run('setfacl', ['--modify', `u:${site.user}:rx,u:www-data:rx`, '--', layout.home], {
    timeoutMs: 5000,
  })
  ensureDirectory(layout.releases, 0o755, 0, 0)
  ensureDirectory(layout.shared, 0o755, 0, 0)
  ensureDirectory(layout.tmp, 0o755, 0, 0)
  ensureDirectory(join(layout.shared, 'uploads'), 0o755, site.uid, site.gid)
  for (const owned of [
    layout.logs,
    join(layout.shared, 'exports'),
    ...['sessions', 'uploads', 'php'].map((name) => join(layout.tmp, name)),
  ]) {
    ensureDirectory(owned, 0o700, site.uid, site.gid)
  }
  return layout
}

/** Every parent of `path` must be writable by root alone, except below a directory made in the same call. */
export function ensureDirectory(path: string, mode: number, uid: number, gid: number): void {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory()) throw new Error(`${path} is not a directory`)
  if (found.uid !== uid || found.gid !== gid) lchownSync(path, uid, gid)
  if ((found.mode & 0o7777) !== mode) chmodSync(path, mode)
}

/** Points `current` at a release with one rename(2), so that no request finds it missing. */
export function switchRelease(layout: SiteLayout, release: string): void {
  const target = `releases/${release}`
  if (existsSync(layout.current) && readlinkSync(layout.current) === target) return
  const next = `${layout.current}.next`
  if (lstatSync(next, { throwIfNoEntry: false })) unlinkSync(next)
  symlinkSync(target, next)
  renameSync(next, layout.current)
  syncDirectory(layout.home)
}

/** coreutils' rm walks with directory handles; Node's recursive removal was measured to leave the tree. */
export async function removeTree(path: string): Promise<void> {
  await run('rm', ['--recursive', '--force', '--one-file-system', '--', path], { timeoutMs: 120_000 })
}
