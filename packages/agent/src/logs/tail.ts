// The newest lines of a log file, and what was added since. A call reads at most `scannedBytes` of it, however long
// the file or a line in it is.
import { createHash } from 'node:crypto'
import type { LogLines } from '@reeve/contract/logs.ts'
import { shownLine } from './lines.ts'
import type { LogBytes } from './source.ts'

export const scannedBytes = 1024 * 1024

export interface TailRequest {
  lines: number
  cursor: string | null
  filter: string | null
}

export const noLines: LogLines = { lines: [], cursor: null, truncated: false }

export async function tail(log: LogBytes, request: TailRequest): Promise<LogLines> {
  const known = await positionOf(log, request.cursor)
  const start = Math.max(known ?? 0, log.size - scannedBytes)
  const bytes = await log.read(start, log.size - start)
  const isCut = start > (known ?? 0)
  const complete = isCut ? afterFirstNewline(bytes) : bytes
  // The program may be in the middle of the last line. Whoever comes back gets it whole.
  const { taken, left } = withoutOpenEnd(complete, known !== undefined)
  const shown = linesOf(taken).map(shownLine)
  const wanted = request.filter?.toLowerCase() ?? ''
  const matching = wanted === '' ? shown : shown.filter((line) => line.toLowerCase().includes(wanted))
  const end = start + bytes.length - left
  return {
    lines: matching.slice(-request.lines),
    cursor: await cursorAt(log, end),
    truncated: isCut || matching.length > request.lines,
  }
}

const newline = 0x0a

function afterFirstNewline(bytes: Buffer): Buffer {
  const at = bytes.indexOf(newline)
  return at === -1 ? bytes : bytes.subarray(at + 1)
}

/** Beyond this an open end is no line in the making. */
const longestOpenEnd = 64 * 1024

function withoutOpenEnd(bytes: Buffer, isFollowing: boolean): { taken: Buffer; left: number } {
  const end = bytes.lastIndexOf(newline) + 1
  const left = bytes.length - end
  return isFollowing && left <= longestOpenEnd
    ? { taken: bytes.subarray(0, end), left }
    : { taken: bytes, left: 0 }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const at = bytes.indexOf(newline, from)
    const end = at === -1 ? bytes.length : at
    const carriage = end > from && bytes[end - 1] === 0x0d ? 1 : 0
    lines.push(bytes.subarray(from, end - carriage))
    from = end + 1
  }
  return lines
}

// A cursor is the file, the place in it, and a fingerprint of the bytes before that place: a log that was emptied by
// its rotation and has grown again is the same file with another content.
async function cursorAt(log: LogBytes, offset: number): Promise<string> {
  return `${log.inode.toString(36)}:${offset.toString(36)}:${await fingerprintBefore(log, offset)}`
}

/** Where to go on; 0 in a file that took the place of the known one; undefined without a cursor that can be read. */
async function positionOf(log: LogBytes, cursor: string | null): Promise<number | undefined> {
  const [inode, offsetText = '', fingerprint] =
    /^([0-9a-z]+):([0-9a-z]+):([0-9a-f]{8})$/.exec(cursor ?? '')?.slice(1) ?? []
  if (inode === undefined) return undefined
  const offset = Number.parseInt(offsetText, 36)
  if (inode !== log.inode.toString(36) || !(offset <= log.size)) return 0
  return (await fingerprintBefore(log, offset)) === fingerprint ? offset : 0
}

async function fingerprintBefore(log: LogBytes, offset: number): Promise<string> {
  const length = Math.min(64, offset)
  const bytes = length === 0 ? Buffer.alloc(0) : await log.read(offset - length, length)
  return createHash('sha256').update(bytes).digest('hex').slice(0, 8)
}
