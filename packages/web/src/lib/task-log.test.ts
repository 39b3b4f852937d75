import { describe, expect, it } from 'vitest'
import { appendLog } from './task-log.ts'

describe('appendLog', () => {
  it('adds a chunk that starts where the log ends', () => {
    expect(appendLog('ab', 2, 'cd')).toBe('abcd')
  })
  it('ignores a chunk that was already received', () => {
    expect(appendLog('abcd', 1, 'bc')).toBe('abcd')
  })
  it('adds only the new part of an overlapping chunk', () => {
    expect(appendLog('abc', 1, 'bcde')).toBe('abcde')
  })
  it('reports a gap instead of joining across it', () => {
    expect(appendLog('ab', 5, 'x')).toBeUndefined()
  })
  it('counts in UTF-16 code units, as the API does', () => {
    expect(appendLog('😀', 2, '!')).toBe('😀!')
  })
})
