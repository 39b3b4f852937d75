// Trees that no site can reach: fresh directories of root, and shared cores. Nothing here may be used on a
// directory that a site's user can write to.
import {
  chmodSync,
  copyFileSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { run } from '../command.ts'

/** Removes a tree without following a link; one that is gone is no error. */
export function removeRootTree(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isDirectory()) return unlinkSync(path)
  for (const name of readdirSync(path)) removeRootTree(join(path, name))
  rmdirSync(path)
}

/** Copies regular files and directories; anything else in the source is refused. */
export function copyTree(source: string, target: string): void {
  mkdirSync(target, { mode: 0o755 })
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const from = join(source, entry.name)
    const to = join(target, entry.name)
    if (entry.isDirectory()) copyTree(from, to)
    else if (entry.isFile()) copyFileSync(from, to)
    else
      throw new AppError(
        'refused',
        `${from} is neither a file nor a directory; nothing was copied from ${source}.`,
      )
  }
}

/**
 * Gives a tree to one owner with plain modes: directories 0755, files 0644, so no set-user-id bit survives.
 * Throws on anything that is neither a file nor a directory, and on a file with a second name.
 */
export function settleTree(path: string, uid: number, gid: number): void {
  const found = lstatSync(path)
  if (found.isDirectory()) {
    // Ours before its entries are listed: from then on its former owner can add nothing.
    lchownSync(path, uid, gid)
    chmodSync(path, 0o755)
    for (const name of readdirSync(path)) settleTree(join(path, name), uid, gid)
    return
  }
  if (!found.isFile()) throw new AppError('refused', `${path} is neither a file nor a directory.`)
  if (found.nlink !== 1) throw new AppError('refused', `${path} has a second name.`)
  lchownSync(path, uid, gid)
  chmodSync(path, 0o644)
}

/**
 * Puts everything written so far to the file system of `path` on disk. A sync of each of a core's 3,000 files
 * takes seconds.
 */
export async function syncFileSystem(path: string): Promise<void> {
  await run('sync', ['--file-system', '--', path], { timeoutMs: 120_000 })
}
