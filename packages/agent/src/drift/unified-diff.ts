// The unified format of diff(1), for people to read.
import { matchLines, splitLines } from './merge.ts'

const context = 3
const maxLines = 400

type Edit = { sign: ' ' | '-' | '+'; line: string; oldAt: number; newAt: number }

/** Empty when the texts are equal. Long ones are cut with a note. */
export function unifiedDiff(oldText: string, newText: string, names: { from: string; to: string }): string {
  if (oldText === newText) return ''
  const edits = editsBetween(splitLines(oldText), splitLines(newText))
  const lines = [`--- ${names.from}`, `+++ ${names.to}`]
  for (const hunk of hunksOf(edits)) lines.push(...hunk)
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), '… and more'] : lines
  return `${shown.join('\n')}\n`
}

function editsBetween(a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = []
  let [x, y] = [0, 0]
  for (const [toA, toB] of [...matchLines(a, b), [a.length, b.length] as const]) {
    for (; x < toA; x++) edits.push({ sign: '-', line: a[x] ?? '', oldAt: x, newAt: y })
    for (; y < toB; y++) edits.push({ sign: '+', line: b[y] ?? '', oldAt: x, newAt: y })
    if (x < a.length && y < b.length) edits.push({ sign: ' ', line: a[x] ?? '', oldAt: x++, newAt: y++ })
  }
  return edits
}

function hunksOf(edits: readonly Edit[]): string[][] {
  const near = new Set<number>()
  for (const [at, { sign }] of edits.entries()) {
    if (sign === ' ') continue
    for (let by = -context; by <= context; by++) near.add(at + by)
  }
  const hunks: Edit[][] = []
  for (const [at, edit] of edits.entries()) {
    if (!near.has(at)) continue
    if (near.has(at - 1) && at > 0) hunks.at(-1)?.push(edit)
    else hunks.push([edit])
  }
  return hunks.map((hunk) => [headerOf(hunk), ...hunk.flatMap(textOf)])
}

function headerOf(hunk: readonly Edit[]): string {
  const range = (start: number, count: number) =>
    count === 1 ? String(start + 1) : `${count === 0 ? start : start + 1},${count}`
  const oldCount = hunk.filter(({ sign }) => sign !== '+').length
  const newCount = hunk.filter(({ sign }) => sign !== '-').length
  const [first] = hunk
  return `@@ -${range(first?.oldAt ?? 0, oldCount)} +${range(first?.newAt ?? 0, newCount)} @@`
}

const textOf = ({ sign, line }: Edit): string[] =>
  line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, '\\ No newline at end of file']
