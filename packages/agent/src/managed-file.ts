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
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { mergeTexts } from './drift/merge.ts'
import type { FileRow } from './ledger.ts'
import type { Log } from './log.ts'
import { type Observed, observeFile } from './observe-file.ts'
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

/** What stands at a path, and what the ledger says about it. */
export interface Standing {
  row: FileRow | undefined
  found: Observed
}

/** What goes to disk, and what the renderer said where that differs by an accepted edit. */
export interface NextBytes {
  bytes: string
  rendered: string | null
  /** As in the ledger. */
  decided?: string | null
}

/** Written anew at every reload, so an edit of it means nothing. */
export const isVolatile = (renderer: string): boolean => renderer === 'web-server/generation'

/**
 * Writes the file unless it is already so. What somebody else changed is never overwritten: it stays, a drift item
 * is opened, and this throws `conflict` when there would have been something new to write.
 */
export function writeManagedFile(registry: Registry, file: ManagedFile): Replaced {
  const standing = lookAt(registry, file.path)
  const next = nextBytes(registry, file, standing)
  return next ? put(registry, file, standing, next) : unchanged
}

/**
 * The bytes that `writeManagedFile` would write; undefined when the file would stay as it is. Throws as it would,
 * before anything else of a change was done.
 */
export function planManagedFile(registry: Registry, file: ManagedFile): string | undefined {
  return nextBytes(registry, file, lookAt(registry, file.path))?.bytes
}

/** For the start of a service, which goes on with an edited file as it is; the drift item tells about it. */
export function writeUnlessEdited(registry: Registry, log: Log, file: ManagedFile): void {
  try {
    writeManagedFile(registry, file)
  } catch (error) {
    const drift = error instanceof AppError ? error.details['drift'] : undefined
    if (typeof drift !== 'string') throw error
    log('edited file left as it is', { path: file.path, drift })
  }
}

/**
 * Writes over whatever is there, for a person who has decided about it. Throws `conflict` when it is no longer
 * what they decided about.
 */
export function settleManagedFile(
  registry: Registry,
  file: ManagedFile,
  seen: Observed,
  next: NextBytes,
): Replaced {
  const standing = lookAt(registry, file.path)
  if (!isSame(standing.found, seen)) {
    throw new AppError('conflict', `${file.path} changed once more meanwhile; look at it and try again.`)
  }
  return put(registry, file, standing, next)
}

/** A crash may have come between the rename and the ledger: then the file is the intended one. */
export function lookAt(registry: Registry, path: string): Standing {
  const found = observeFile(path)
  const row = registry.findFile(path)
  const intended = row?.intended_sha256 ?? null
  const isIntended = found.state === 'file' && intended !== null && sha256(found.bytes) === intended
  if (!isIntended) return { row, found }
  registry.commitFile(path)
  return { row: registry.findFile(path), found }
}

export function isAsWritten(row: FileRow, found: Observed): boolean {
  return (
    found.state === 'file' &&
    sha256(found.bytes) === row.sha256 &&
    found.mode === row.mode &&
    (row.uid === null || found.uid === row.uid) &&
    (row.gid === null || found.gid === row.gid)
  )
}

function isSame(a: Observed, b: Observed): boolean {
  if (a.state === 'file' && b.state === 'file') {
    return a.bytes.equals(b.bytes) && a.mode === b.mode && a.uid === b.uid && a.gid === b.gid
  }
  return a.state === b.state
}

/** undefined when an edited file can stay because there is nothing new to write. */
function nextBytes(registry: Registry, file: ManagedFile, { row, found }: Standing): NextBytes | undefined {
  const { path, text } = file
  if (!row) {
    if (found.state === 'missing') return { bytes: text, rendered: null }
    throw new AppError('conflict', `${path} exists and was not written by Reeve; move it away first.`, {
      path,
    })
  }
  const isFree = found.state === 'missing' || isVolatile(file.renderer) || isAsWritten(row, found)
  if (!isFree) {
    const drift = registry.openDrift(path, 'edited')
    if (text === (row.rendered ?? row.bytes)) return undefined
    const isWanted = found.state === 'file' && sha256(found.bytes) === sha256(text)
    if (!isWanted) throw editedFile(path, drift)
  }
  return withAcceptedEdit(registry, file, row)
}

function withAcceptedEdit(registry: Registry, { path, text }: ManagedFile, row: FileRow): NextBytes {
  if (row.rendered === null || row.bytes === null) return { bytes: text, rendered: null }
  // What somebody decided about goes both ways: a change that is taken back finds the edit as it was.
  if (text === row.decided) return { bytes: row.bytes, rendered: text, decided: row.rendered }
  if (text === row.rendered) return { bytes: row.bytes, rendered: text, decided: row.decided }
  const bytes = mergeTexts(row.rendered, row.bytes, text)
  if (bytes !== undefined) return { bytes, rendered: bytes === text ? null : text }
  const drift = registry.openDrift(path, 'conflict', text)
  throw new AppError(
    'conflict',
    `${path} holds an accepted edit of the very lines that would change. Restore or accept it again (drift item ${drift}), then repeat the change.`,
    { path, drift },
  )
}

const editedFile = (path: string, drift: string) =>
  new AppError(
    'conflict',
    `${path} was changed by something else since it was written. Restore or accept that change (drift item ${drift}), then try again.`,
    { path, drift },
  )

const unchanged: Replaced = { changed: false, undo: () => {} }

function put(registry: Registry, file: ManagedFile, standing: Standing, next: NextBytes): Replaced {
  const { row, found } = standing
  const wanted = sha256(next.bytes)
  const isThere =
    found.state === 'file' &&
    sha256(found.bytes) === wanted &&
    found.mode === file.mode &&
    found.uid === (file.uid ?? 0) &&
    found.gid === (file.gid ?? 0)
  const isNoted =
    row?.sha256 === wanted && row.rendered === next.rendered && row.decided === (next.decided ?? null)
  if (isThere && isNoted) return unchanged
  // Both hashes stand in the ledger before the rename, so a crash on either side of it is no drift.
  registry.intendFile({
    ...file,
    text: next.bytes,
    rendered: next.rendered,
    decided: next.decided ?? null,
    sha256: wanted,
  })
  replaceFile(file.path, next.bytes, file)
  registry.commitFile(file.path)
  return { changed: true, undo: () => putBack(registry, file.path, wanted, standing) }
}

function putBack(registry: Registry, path: string, written: string, { row, found }: Standing): void {
  const now = observeFile(path)
  // Whoever changed it since then has to be asked.
  if (now.state !== 'missing' && !(now.state === 'file' && sha256(now.bytes) === written)) return
  if (!row) {
    removeManagedFile(registry, path)
    return
  }
  if (found.state === 'file') {
    // An edit that is put back must not look like our own bytes after a crash.
    if (isAsWritten(row, found)) {
      const text = found.bytes.toString('utf8')
      const owner = { uid: found.uid, gid: found.gid }
      registry.intendFile({ ...row, ...owner, text, sha256: sha256(found.bytes) })
    }
    replaceFile(path, found.bytes, found)
  } else if (now.state !== 'missing') {
    unlinkSync(path)
    syncDirectory(dirname(path))
  }
  registry.putFile(row)
}

/** Removes the file as a change that can be taken back. */
export function retireManagedFile(registry: Registry, path: string): Replaced {
  const { row, found } = lookAt(registry, path)
  const changed = removeManagedFile(registry, path)
  return {
    changed,
    undo: () => {
      if (found.state !== 'file' || row === undefined || existsSync(path)) return
      replaceFile(path, found.bytes, found)
      registry.putFile(row)
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
