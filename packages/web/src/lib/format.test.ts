import { describe, expect, it } from 'vitest'
import { daysUntil, duration, lifetime, relativeTime } from './format.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const before = (seconds: number): string => new Date(now - seconds * 1000).toISOString()

describe('relativeTime', () => {
  it.each([
    [3, 'just now'],
    [42, '42 seconds ago'],
    [61, '1 minute ago'],
    [7_300, '2 hours ago'],
    [90_000, 'yesterday'],
    [86_400 * 40, 'last month'],
    [-86_400 * 3, 'in 3 days'],
  ])('%i seconds back reads "%s"', (seconds, text) => {
    expect(relativeTime(before(seconds), now)).toBe(text)
  })
})

describe('duration', () => {
  it.each([
    [420, '0.4 s'],
    [12_400, '12 s'],
    [125_000, '2 min 5 s'],
    [3_780_000, '1 h 3 min'],
    [-5, '0.0 s'],
  ])('%i ms reads "%s"', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })
})

describe('lifetime', () => {
  it.each([
    [600, '10 min'],
    [3600, '1 h'],
    [86_400, '1 day'],
    [259_200, '3 days'],
    [45, '45 s'],
  ])('%i s reads "%s"', (seconds, text) => {
    expect(lifetime(seconds)).toBe(text)
  })
})

it('counts whole days until a time, negative once it has passed', () => {
  expect(daysUntil(before(-86_400 * 2.5), now)).toBe(2)
  expect(daysUntil(before(60), now)).toBe(-1)
})
