import { expect, test } from 'vitest'
import { AppError } from './errors.ts'

test('a sentence that quotes text which changes its direction shows where it would', () => {
  const { message } = new AppError('refused', '"a\u202egnp.exe" is not a name of example.com.')
  expect(message).toBe('"a\\u{202e}gnp.exe" is not a name of example.com.')
  const body = { error: 'no\u2067body', code: 'internal' } as const
  expect(AppError.fromBody(body).toBody().error).toBe('no\\u{2067}body')
})
