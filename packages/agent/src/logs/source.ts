// Where a log is kept. A caller names a source, never a path, and each kind has one way to be read.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { AppError } from '@reeve/contract/errors.ts'
import type { ServerLogSource } from '@reeve/contract/logs.ts'
import { runAsSite, type SiteUser } from '../as-site-user.ts'

/** A log that the journal of systemd keeps, by unit. */
export interface JournalLog {
  kind: 'journal'
  unit: string
}

/** A file in a directory that only root and services write. Of several the one that was written last is read. */
export interface FileLog {
  kind: 'file'
  paths: readonly string[]
}

/** A file that the site itself can replace by whatever it wants. */
export interface SiteFileLog {
  kind: 'site-file'
  path: string
  site: SiteUser
}

export type ServerLogs = Readonly<Record<ServerLogSource, FileLog | JournalLog>>

/** A log as bytes. */
export interface LogBytes {
  /** Names the file for as long as it exists. */
  inode: number
  size: number
  read(offset: number, length: number): Promise<Buffer>
}

/** Opens the log and hands it on; undefined when there is no regular file. */
export async function withLogFile<T>(
  path: string,
  use: (log: LogBytes) => Promise<T>,
): Promise<T | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      if (isMissingOrLink(error)) return undefined
      throw error
    },
  )
  if (!file) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) return undefined
    const read = async (offset: number, length: number) => {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    }
    return await use({ inode: found.ino, size: found.size, read })
  } finally {
    await file.close()
  }
}

const isMissingOrLink = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP')

/** As the site's own user, in a view of the site alone: a link or a device leads nowhere that it could not go. */
export async function withSiteLogFile<T>(
  { path, site }: Pick<SiteFileLog, 'path' | 'site'>,
  use: (log: LogBytes) => Promise<T>,
): Promise<T | undefined> {
  const options = { timeoutMs: 10_000, accept: [0, 1] }
  const found = await runAsSite(site, 'stat', ['--format=%F|%i|%s', '--', path], options)
  if (found.code !== 0 && !found.stderr.includes('cannot stat')) {
    throw unreadable(site, found.stderr)
  }
  const [type = '', inode = '', size = ''] = found.stdout.trim().split('|')
  if (!type.startsWith('regular')) return undefined
  const read = async (offset: number, length: number) => {
    const chunks: Buffer[] = []
    const { code } = await runAsSite(site, 'dd', readingWithDd(path, offset, length), {
      ...options,
      onOutput: (chunk) => chunks.push(chunk),
    })
    // Then it is the reason that it printed.
    if (code !== 0) throw unreadable(site, Buffer.concat(chunks).toString('utf8'))
    return Buffer.concat(chunks)
  }
  return await use({ inode: Number(inode), size: Number(size), read })
}

const unreadable = (site: SiteUser, why: string) =>
  new AppError('internal', `The log of ${site.domain} cannot be read: ${why.trim()}`)

const readingWithDd = (path: string, offset: number, length: number): string[] => [
  ...[`if=${path}`, 'bs=65536', `skip=${offset}`, `count=${length}`, 'status=none'],
  'iflag=nofollow,nonblock,fullblock,skip_bytes,count_bytes',
]
