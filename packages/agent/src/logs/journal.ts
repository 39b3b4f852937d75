// The newest lines that the journal holds of a unit (journalctl(1), systemd.journal-fields(7)).
import type { LogLines } from '@reeve/contract/logs.ts'
import * as z from 'zod'
import { run } from '../command.ts'
import { shownLine } from './lines.ts'
import { type TailRequest } from './tail.ts'

const scannedEntries = 5000

const Entry = z.object({
  __REALTIME_TIMESTAMP: z.string().regex(/^\d+$/),
  /** Bytes when it is no UTF-8 text; null when it is very long. */
  MESSAGE: z.union([z.string(), z.array(z.number()), z.null()]).optional(),
})

interface Line {
  /** Microseconds since the epoch. */
  at: bigint
  text: string
}

export async function tailJournal(unit: string, request: TailRequest): Promise<LogLines> {
  const known = parseCursor(request.cursor)
  const since = known === undefined ? [] : [`--since=@${seconds(known.at)}`]
  const { stdout } = await run(
    'journalctl',
    [
      ...[`--unit=${unit}.service`, '--quiet', '--no-pager', '--output=json'],
      ...['--output-fields=MESSAGE', `--lines=${scannedEntries}`, ...since],
    ],
    { timeoutMs: 20_000, accept: [0, 1], maxOutputBytes: 32 * 1024 * 1024 },
  )
  const all = stdout.split('\n').filter(Boolean).map(lineOf)
  const fresh = known === undefined ? all : notSeen(all, known)
  const wanted = request.filter?.toLowerCase() ?? ''
  const matching = fresh.filter(({ text }) => text.toLowerCase().includes(wanted))
  return {
    lines: matching.slice(-request.lines).map(({ text }) => text),
    cursor: nextCursor(all) ?? request.cursor,
    truncated: all.length === scannedEntries || matching.length > request.lines,
  }
}

function lineOf(json: string): Line {
  const { __REALTIME_TIMESTAMP, MESSAGE } = Entry.parse(JSON.parse(json))
  const at = BigInt(__REALTIME_TIMESTAMP)
  const bytes = Array.isArray(MESSAGE) ? Buffer.from(MESSAGE) : Buffer.from(MESSAGE ?? '(too long)')
  const time = new Date(Number(at / 1000n)).toISOString()
  return { at, text: `${time} ${shownLine(bytes)}` }
}

// The journal's own cursor is long and has characters of its own, so: the last microsecond that was seen, and how many
// lines of it.
interface Position {
  at: bigint
  seen: number
}

function parseCursor(cursor: string | null): Position | undefined {
  const [at, seen] = /^j:(\d{1,20}):(\d{1,9})$/.exec(cursor ?? '')?.slice(1) ?? []
  return at === undefined ? undefined : { at: BigInt(at), seen: Number(seen) }
}

function nextCursor(lines: readonly Line[]): string | undefined {
  const last = lines.at(-1)
  return last && `j:${last.at}:${lines.filter(({ at }) => at === last.at).length}`
}

function notSeen(lines: readonly Line[], { at, seen }: Position): Line[] {
  let skipped = 0
  return lines.filter((line) => line.at > at || (line.at === at && ++skipped > seen))
}

const seconds = (microseconds: bigint): string =>
  `${microseconds / 1_000_000n}.${String(microseconds % 1_000_000n).padStart(6, '0')}`
