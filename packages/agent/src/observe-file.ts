// What stands at a path, without following a link and without waiting for what is no file.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'

export type Observed =
  | { state: 'missing' }
  | { state: 'file'; bytes: Buffer; mode: number; uid: number; gid: number }
  /** Something else than a readable file, with the reason in words. */
  | { state: 'other'; what: string }

/** No rendered file comes near this. */
const maxBytes = 4 * 1024 * 1024

export function observeFile(path: string): Observed {
  const named = lstatSync(path, { throwIfNoEntry: false })
  if (!named) return { state: 'missing' }
  if (named.isSymbolicLink()) return { state: 'other', what: 'a symbolic link' }
  if (named.isDirectory()) return { state: 'other', what: 'a directory' }
  if (!named.isFile()) return { state: 'other', what: 'no ordinary file' }
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { mode, uid, gid, size } = fstatSync(fd)
      if (size > maxBytes) return { state: 'other', what: `a file of ${size} bytes` }
      return { state: 'file', bytes: readFileSync(fd), mode: mode & 0o7777, uid, gid }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // what node:fs throws
    if (code === 'ENOENT') return { state: 'missing' }
    return { state: 'other', what: `a file that cannot be read (${code ?? String(error)})` }
  }
}
