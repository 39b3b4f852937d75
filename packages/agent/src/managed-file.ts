// The one place that writes rendered files. After a crash a file holds the old bytes or the new bytes, the
// ledger knows both, and a file that somebody else changed is never overwritten.
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { Registry } from './registry.ts'

export interface ManagedFile {
  path: string
  text: string
  mode: number
  /** Owner and group; root when absent. */
  uid?: number
  gid?: number
  /** Which renderer made the text, e.g. `web-server/vhost`. */
  renderer: string
  siteId: SiteId | null
}

export interface Replaced {
  changed: boolean
  /** Puts the bytes back that were there before. */
  undo(): void
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Writes the file unless it is already so. Throws `conflict` when its bytes are not the ones we wrote. */
export function writeManagedFile(registry: Registry, file: ManagedFile): Replaced {
  const wanted = sha256(file.text)
  const before = readIfExists(file.path)
  const row = registry.findFile(file.path)
  if (before !== undefined) refuseForeignBytes(file.path, before, row)
  if (before !== undefined && row?.sha256 === wanted && sha256(before) === wanted) {
    return { changed: false, undo: () => {} }
  }
  // Both hashes stand in the ledger before the rename, so a crash on either side of it is no drift.
  registry.intendFile({ ...file, sha256: wanted })
  replaceFile(file.path, file.text, file)
  registry.commitFile(file.path)
  return {
    changed: true,
    undo: () => {
      if (before === undefined) removeManagedFile(registry, file.path)
      else writeManagedFile(registry, { ...file, text: before.toString('utf8') })
    },
  }
}

/** Removes the file as a change that can be taken back. */
export function retireManagedFile(registry: Registry, path: string): Replaced {
  const before = readIfExists(path)
  const row = registry.findFile(path)
  const changed = removeManagedFile(registry, path)
  return {
    changed,
    undo: () => {
      if (before === undefined || row === undefined) return
      const text = before.toString('utf8')
      writeManagedFile(registry, { path, text, mode: row.mode, renderer: row.renderer, siteId: row.siteId })
    },
  }
}

/** Removes the file and its ledger row; a file that is already gone is no error. */
export function removeManagedFile(registry: Registry, path: string): boolean {
  const existed = existsSync(path)
  if (existed) {
    unlinkSync(path)
    syncDirectory(dirname(path))
  }
  registry.forgetFile(path)
  return existed
}

/** Temporary file in the same directory, fsync, rename, fsync of the directory. */
export function replaceFile(
  path: string,
  bytes: string | Uint8Array,
  owner: { mode: number; uid?: number; gid?: number },
): void {
  // A leading dot and no known suffix: no `include *.conf` of nginx, PHP-FPM or cron matches it.
  const temporary = join(dirname(path), `.${basename(path)}.reeve-new`)
  if (existsSync(temporary)) unlinkSync(temporary)
  const fd = openSync(temporary, 'wx', 0o600)
  try {
    const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    for (let written = 0; written < data.length; ) written += writeSync(fd, data, written)
    fchownSync(fd, owner.uid ?? 0, owner.gid ?? 0)
    fchmodSync(fd, owner.mode)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, path)
  syncDirectory(dirname(path))
}

export function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function readIfExists(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined
}

function refuseForeignBytes(
  path: string,
  bytes: Buffer,
  row: { sha256: string | null; intended_sha256: string | null } | undefined,
): void {
  const found = sha256(bytes)
  if (row && (found === row.sha256 || found === row.intended_sha256)) return
  throw new AppError(
    'conflict',
    row
      ? `${path} was changed by something else since it was written; restore or accept that change first.`
      : `${path} exists and was not written by Reeve; move it away first.`,
    { path },
  )
}
