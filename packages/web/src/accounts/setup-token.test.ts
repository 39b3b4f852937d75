import { expect, it } from 'vitest'
import { tokenFromFragment } from './setup-token.ts'

it('reads the token of a setup link and nothing else', () => {
  expect(tokenFromFragment('#token=abc-DEF_123')).toBe('abc-DEF_123')
  expect(tokenFromFragment('#other=1')).toBe('')
  expect(tokenFromFragment('')).toBe('')
})
