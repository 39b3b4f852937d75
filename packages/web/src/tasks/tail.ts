export interface Tail {
  text: string
  hiddenLines: number
}

/** The last lines of a log: drawing a hundred thousand would stop the page. */
export function tailOf(log: string, shownLines: number): Tail {
  const lines = log.split('\n')
  // A newline at the end closes the last line and does not open another.
  const count = log.endsWith('\n') ? lines.length - 1 : lines.length
  const hiddenLines = Math.max(0, count - shownLines)
  return { text: hiddenLines === 0 ? log : lines.slice(hiddenLines).join('\n'), hiddenLines }
}
