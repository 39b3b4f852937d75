// The newest lines of a log, as answers bring them.
import type { LogLines } from '@reeve/contract/logs.ts'

export interface Tail {
  lines: readonly string[]
  cursor: string | null
  /** Earlier lines exist that are not shown. */
  isCut: boolean
}

export const keptLines = 3_000

/** Adds what an answer brought. Without an earlier cursor the answer is a new beginning. */
export function appendTail(tail: Tail | undefined, answer: LogLines): Tail {
  const before = tail === undefined || tail.cursor === null ? [] : tail.lines
  const lines = [...before, ...answer.lines]
  return {
    lines: lines.slice(-keptLines),
    cursor: answer.cursor ?? tail?.cursor ?? null,
    isCut: lines.length > keptLines || answer.truncated || (before.length > 0 && tail?.isCut === true),
  }
}
