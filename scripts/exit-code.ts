import type { ChildProcess } from 'node:child_process'

/** The exit code once the process has ended and its output is read, or null when a signal ended it. */
export function exitCode(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('close', resolve)
  return promise
}
