import { expect, it } from 'vitest'
import { Problem, wordsOf } from './authority-error.ts'
import { retryAfterMs } from './authority-http.ts'

const now = Date.parse('2030-01-01T00:00:00.000Z')

it.each([
  [undefined, undefined],
  ['30', 30_000],
  ['0', 0],
  ['Tue, 01 Jan 2030 00:02:00 GMT', 120_000],
  ['Mon, 31 Dec 2029 23:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['99999999999999999999', 7 * 86_400_000],
])('reads Retry-After: %s', (value, ms) => {
  expect(retryAfterMs(value === undefined ? {} : { 'retry-after': value }, now)).toBe(ms)
})

it("hands on an authority's words and what it says of single names", () => {
  const problem = Problem.parse({
    detail: 'Some names were refused.',
    subproblems: [{ detail: 'is blocked', identifier: { type: 'dns', value: 'a.example.com' } }],
  })
  expect(wordsOf(problem)).toBe('Some names were refused. a.example.com: is blocked')
})

it('hands on nothing that could move a cursor, hide a direction or begin a new line', () => {
  const detail = 'Invalid response: "\u001b[2J\r\n{\u0000}\u202egpj\u2066.\u009b31m"'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(wordsOf(Problem.parse({ detail }))).not.toMatch(
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
  )
  expect(wordsOf(Problem.parse({ detail: 'x'.repeat(5000) })).length).toBeLessThan(700)
})
