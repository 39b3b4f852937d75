import { expect, it } from 'vitest'
import { appendTail, keptLines } from './tail.ts'

const answer = (lines: string[], part: { cursor?: string | null; truncated?: boolean } = {}) => ({
  lines,
  cursor: '1:10',
  truncated: false,
  ...part,
})

it('adds what came after the cursor, and keeps the cursor when an answer has none', () => {
  const first = appendTail(undefined, answer(['a', 'b'], { truncated: true }))
  const second = appendTail(first, answer(['c'], { cursor: '1:20' }))
  expect(second).toEqual({ lines: ['a', 'b', 'c'], cursor: '1:20', isCut: true })
  expect(appendTail(second, answer([], { cursor: null })).cursor).toBe('1:20')
})

it('begins anew when nothing said where it was', () => {
  const first = appendTail(undefined, answer(['a'], { cursor: null }))
  expect(appendTail(first, answer(['a', 'b'])).lines).toEqual(['a', 'b'])
})

it('keeps a bounded number of lines, the newest', () => {
  const many = Array.from({ length: keptLines }, (_, index) => `line ${index}`)
  const tail = appendTail(appendTail(undefined, answer(many)), answer(['newest']))
  expect(tail.lines).toHaveLength(keptLines)
  expect(tail.lines.at(-1)).toBe('newest')
  expect(tail.isCut).toBe(true)
})
