// A task's log grows by chunks that say where they start; chunks may repeat, overlap or leave a gap.

/** The log with the chunk added, or undefined when characters between the two are missing. */
export function appendLog(log: string, offset: number, chunk: string): string | undefined {
  if (offset > log.length) return undefined
  const end = offset + chunk.length
  return end <= log.length ? log : log + chunk.slice(log.length - offset)
}
