import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mergeTexts } from './merge.ts'
import { unifiedDiff } from './unified-diff.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync('/var/tmp/reeve-merge-')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const file = (name: string, text: string) => {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

/** What diff3(1) says; undefined for a conflict. */
function byDiff3(base: string, ours: string, theirs: string): string | undefined {
  const paths = [file('ours', ours), file('base', base), file('theirs', theirs)]
  const { status, stdout } = spawnSync('/usr/bin/diff3', ['--merge', '-E', '--', ...paths], {
    encoding: 'utf8',
  })
  if (status !== 0 && status !== 1) throw new Error(`diff3 ended with ${status}`)
  return status === 0 ? stdout : undefined
}

/** What diff(1) says. */
function byDiff(old: string, now: string): string {
  const labels = ['--label', 'written', '--label', 'found']
  return spawnSync('/usr/bin/diff', ['-U3', ...labels, file('old', old), file('now', now)], {
    encoding: 'utf8',
  }).stdout
}

/** A seeded generator, so that a failure can be run again. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Replaces, drops and adds lines; lines of the base are all different, so there is one way to see what was kept. */
function edited(lines: readonly string[], next: () => number, mark: string): string[] {
  const rate = next() * 0.3
  return lines.flatMap((line, at) => {
    if (next() > rate) return [line]
    const choice = Math.floor(next() * 4)
    if (choice === 0) return []
    if (choice === 1) return [`${mark} ${at}\n`]
    if (choice === 2) return [line, `${mark} after ${at}\n`]
    // What both sides may come to.
    return [`same ${at}\n`]
  })
}

describe('merging', () => {
  test('takes a change of each side', () => {
    const base = 'a\nb\nc\nd\ne\n'
    expect(mergeTexts(base, 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n')).toBe('A\nb\nc\nd\nE\n')
    expect(mergeTexts(base, base, 'a\nc\n')).toBe('a\nc\n')
    expect(mergeTexts(base, 'x\na\nb\nc\nd\ne\n', base)).toBe('x\na\nb\nc\nd\ne\n')
    expect(mergeTexts('', 'a\n', '')).toBe('a\n')
  })
  test('refuses two changes of the same place, and takes the same change once', () => {
    expect(mergeTexts('a\nb\nc\n', 'a\nx\nc\n', 'a\ny\nc\n')).toBeUndefined()
    expect(mergeTexts('a\nb\nc\n', 'a\nc\n', 'a\ny\nc\n')).toBeUndefined()
    expect(mergeTexts('a\nb\nc\n', 'a\nx\nc\n', 'a\nx\nc\n')).toBe('a\nx\nc\n')
  })
  test('sees a last line without its end', () => {
    expect(mergeTexts('a\nb', 'a\nb\n', 'a\nb')).toBe('a\nb\n')
    expect(mergeTexts('a\nb', 'a\nb\n', 'a\nc')).toBeUndefined()
  })

  test('says what diff3 says about random texts', () => {
    const next = random(20_261_121)
    let [merged, refused] = [0, 0]
    for (let round = 0; round < 300; round++) {
      const base = Array.from({ length: 1 + Math.floor(next() * 40) }, (_, at) => `line ${at}\n`)
      const [ours, theirs] = [edited(base, next, 'ours'), edited(base, next, 'theirs')]
      const texts = [base.join(''), ours.join(''), theirs.join('')] as const
      const result = mergeTexts(...texts)
      expect(result, JSON.stringify(texts)).toBe(byDiff3(...texts))
      if (result === undefined) refused++
      else merged++
    }
    expect(merged).toBeGreaterThan(30)
    expect(refused).toBeGreaterThan(30)
  })
})

describe('a unified diff', () => {
  const names = { from: 'written', to: 'found' }
  test('is empty for equal texts and short for long ones', () => {
    expect(unifiedDiff('a\n', 'a\n', names)).toBe('')
    const long = Array.from({ length: 5000 }, (_, at) => `${at}\n`).join('')
    expect(unifiedDiff('', long, names).split('\n').length).toBeLessThan(410)
  })
  test('shows three lines around a change', () => {
    const lines = Array.from({ length: 12 }, (_, at) => `${at}\n`)
    const found = lines.map((line) => (line === '6\n' ? 'six\n' : line)).join('')
    expect(unifiedDiff(lines.join(''), found, names)).toBe(
      '--- written\n+++ found\n@@ -4,7 +4,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n',
    )
  })
  test('says what diff(1) says about random texts', () => {
    const next = random(7)
    for (let round = 0; round < 100; round++) {
      const base = Array.from({ length: 1 + Math.floor(next() * 60) }, (_, at) => `line ${at}\n`)
      const end = next() < 0.3 ? 'without an end' : ''
      const [old, now] = [base.join(''), edited(base, next, 'new').join('') + end]
      expect(unifiedDiff(old, now, names)).toBe(byDiff(old, now))
    }
  })
})
