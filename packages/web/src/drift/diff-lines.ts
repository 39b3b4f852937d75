// A unified diff, line by line, as it is drawn.

export interface DiffLine {
  kind: 'hunk' | 'same' | 'removed' | 'added'
  text: string
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = { '@': 'hunk', '-': 'removed', '+': 'added' }

/** Leaves the two lines with the names out: the path stands above. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const first = lines.findIndex((line) => line.startsWith('@@'))
  return (first === -1 ? lines : lines.slice(first)).map((line) => {
    const kind = kinds[line.charAt(0)] ?? 'same'
    return { kind, text: kind === 'hunk' ? line : line.slice(1) }
  })
}
