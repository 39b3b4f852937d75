// The API's log: one line an entry on standard error, which the journal or the embedded host keeps.
// Bodies, cookies, tokens and passwords are never passed in.
import { AppError } from '@reeve/contract/errors.ts'

export type Log = (message: string, fields?: Readonly<Record<string, string | number | boolean>>) => void

export const log: Log = (message, fields = {}) => {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  process.stderr.write(`${[message, ...pairs].join(' ')}\n`)
}

/** The sentence for a person; a stack only for what nobody foresaw. */
export function describeError(error: unknown): string {
  if (error instanceof AppError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
