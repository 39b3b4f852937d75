// Merging by lines: a base and two texts made from it become one, unless both changed the same place.

/** Cells of the comparison table; what is bigger counts as changed from end to end. */
const maxCells = 16_000_000

/** Pairs of line numbers of a longest common subsequence, ascending. */
export function matchLines(a: readonly string[], b: readonly string[]): [number, number][] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let endA = a.length
  let endB = b.length
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--
    endB--
  }
  const head = Array.from({ length: start }, (_, at): [number, number] => [at, at])
  const tail = Array.from({ length: a.length - endA }, (_, at): [number, number] => [endA + at, endB + at])
  const middle = matchMiddle(a.slice(start, endA), b.slice(start, endB))
  return [...head, ...middle.map(([x, y]): [number, number] => [x + start, y + start]), ...tail]
}

function matchMiddle(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1
  if (a.length === 0 || b.length === 0 || (a.length + 1) * width > maxCells) return []
  // Length of the longest common subsequence of what follows each pair of lines.
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (x: number, y: number) => lengths[x * width + y] ?? 0
  for (let x = a.length - 1; x >= 0; x--) {
    for (let y = b.length - 1; y >= 0; y--) {
      lengths[x * width + y] = a[x] === b[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1))
    }
  }
  const pairs: [number, number][] = []
  for (let x = 0, y = 0; x < a.length && y < b.length; ) {
    if (a[x] === b[y]) pairs.push([x++, y++])
    else if (at(x + 1, y) >= at(x, y + 1)) x++
    else y++
  }
  return pairs
}

/** Lines with their line ends, so that a missing last one is a difference too. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** The text with both sets of changes; undefined when they touch the same or neighbouring lines in different ways. */
export function mergeTexts(base: string, ours: string, theirs: string): string | undefined {
  const [o, a, b] = [splitLines(base), splitLines(ours), splitLines(theirs)]
  const inOurs = new Map(matchLines(o, a))
  const inTheirs = new Map(matchLines(o, b))
  const merged: string[] = []
  let [fromO, fromA, fromB] = [0, 0, 0]
  for (let line = 0; line <= o.length; line++) {
    const toA = line === o.length ? a.length : inOurs.get(line)
    const toB = line === o.length ? b.length : inTheirs.get(line)
    // Only a line that both kept ends a changed place.
    if (toA === undefined || toB === undefined) continue
    const place = mergePlace(o.slice(fromO, line), a.slice(fromA, toA), b.slice(fromB, toB))
    if (!place) return undefined
    merged.push(...place, ...o.slice(line, line + 1))
    ;[fromO, fromA, fromB] = [line + 1, toA + 1, toB + 1]
  }
  return merged.join('')
}

function mergePlace(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): readonly string[] | undefined {
  const [o, a, b] = [base.join(''), ours.join(''), theirs.join('')]
  if (a === o || a === b) return theirs
  return b === o ? ours : undefined
}
