import { expect, test } from 'vitest'
import * as z from 'zod'
import { AppError, invalidRequest } from './errors.ts'

test('a sentence that quotes text which changes its direction shows where it would', () => {
  const { message } = new AppError('refused', '"a\u202egnp.exe" is not a name of example.com.')
  expect(message).toBe('"a\\u{202e}gnp.exe" is not a name of example.com.')
  const body = { error: 'no\u2067body', code: 'internal' } as const
  expect(AppError.fromBody(body).toBody().error).toBe('no\\u{2067}body')
})

test('a field that is not there is called missing, one of another type is not', () => {
  const schema = z.strictObject({ key: z.string(), more: z.object({ count: z.int() }) })
  const said = (value: unknown) => {
    const { error } = schema.safeParse(value)
    return error && invalidRequest(error).toBody()
  }
  expect(said({ more: { count: 1 } })).toMatchObject({ error: 'key: is missing', field: 'key' })
  expect(said({ key: 'a', more: {} })).toMatchObject({ error: 'more.count: is missing', field: 'more.count' })
  expect(said({ key: 1, more: { count: 1 } })?.error).toBe(
    'key: Invalid input: expected string, received number',
  )
})
