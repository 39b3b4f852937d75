import { expect, it } from 'vitest'
import { hitRate } from './hit-rate.ts'

it('is unknown before the first visit and never claims all or none falsely', () => {
  expect(hitRate({ hits: 0, misses: 0 })).toBeUndefined()
  expect(hitRate({ hits: 3, misses: 1 })).toBe(75)
  expect(hitRate({ hits: 9999, misses: 1 })).toBe(99)
  expect(hitRate({ hits: 1, misses: 9999 })).toBe(1)
  expect(hitRate({ hits: 5, misses: 0 })).toBe(100)
  expect(hitRate({ hits: 0, misses: 5 })).toBe(0)
})
