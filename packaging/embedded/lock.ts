// One embedded run per root. The lock names a process by pid and start time, so a stale one never blocks.
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTime } from './leftovers.ts'

const lockPath = (root: string) => join(root, 'run/reeve-embedded.pid')

/** The process that runs Reeve in this root, if one does. */
export function lockHolder(root: string): number | undefined {
  try {
    const [pid, started] = readFileSync(lockPath(root), 'utf8').trim().split(' ')
    return startTime(Number(pid)) === started && Number(pid) !== process.pid ? Number(pid) : undefined
  } catch {
    return undefined
  }
}

/** Returns what gives it back. */
export function takeLock(root: string): () => void {
  const path = lockPath(root)
  if (lockHolder(root) === undefined) removeIfThere(path)
  writeFileSync(path, `${process.pid} ${startTime(process.pid)}\n`, { flag: 'wx', mode: 0o644 })
  return () => removeIfThere(path)
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Nothing to remove.
  }
}
