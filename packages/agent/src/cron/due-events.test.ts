import { describe, expect, it } from 'vitest'
import { dueNumber } from './due-events.ts'

describe("WordPress's list of tasks", () => {
  const now = new Date(1_700_000_000_000)

  it.each([
    ['7\ta:9:{i:1699999999;a:1:{s:34:"wp_privacy', [7]],
    ['7\ta:9:{i:1700000000;a:1:{', [7]],
    ['7\ta:9:{i:1700000001;a:1:{', []],
    ['7\ta:1:{s:7:"version";i:2;}', []],
    ['7\t', []],
    ['7\ta:9:{i:-5;', []],
    ['ERROR 1146 (42S02) at line 2', []],
  ])('%j', (line, expected) => {
    expect(dueNumber(line, now)).toEqual(expected)
  })
})
