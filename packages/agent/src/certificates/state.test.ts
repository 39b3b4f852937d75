import { statSync, writeFileSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import { SiteId } from '@reeve/contract/primitives.ts'
import { beforeEach, expect, it } from 'vitest'
import { type Paths, pathsBelow } from '../paths.ts'
import { AuthorityError } from './authority-error.ts'
import { backOffMs, CertificateState, readState, rememberFailure, writeState } from './state.ts'
import { makeFolder } from '../testing/folder.ts'

const id = SiteId.parse('saaaaaaaaaaaaaaa')
const hourMs = 3_600_000
const directory = 'https://ca.example/dir'
const pending = {
  directory,
  url: 'https://ca.example/order/1',
  key: 'secret',
  names: ['one.example.com'],
  placed_at: '2030-01-01T00:00:00.000Z',
}
let paths: Paths
beforeEach(() => {
  paths = pathsBelow(makeFolder('state'))
})
const hoursFromNow = (time: string | null) => Math.round((Date.parse(time ?? '') - Date.now()) / hourMs)

it('waits longer after each failure, and never longer than a day', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backOffMs(failures) / hourMs)).toEqual([
    1, 2, 4, 8, 16, 24, 24, 24,
  ])
})

it('is kept from everybody but root, over a restart', () => {
  writeState(paths, id, { pending })
  writeState(paths, id, { last_error: 'no' })
  expect(readState(paths, id)).toMatchObject({ pending, last_error: 'no' })
  expect(statSync(paths.acmeSite(id)).mode & 0o777).toBe(0o600)
})

it.each(['', '{', '{"pending": 1}', 'null'])('that reads %j is a new one', (text) => {
  writeState(paths, id, { pending })
  writeFileSync(paths.acmeSite(id), text)
  expect(readState(paths, id)).toEqual(CertificateState.parse({}))
})

it('keeps everybody off as long as the authority says', () => {
  const waitMs = 30 * hourMs
  rememberFailure(
    paths,
    id,
    directory,
    new AuthorityError('Too many.', { kind: 'rateLimited', httpStatus: 429, waitMs }),
  )
  const state = readState(paths, id)
  expect(state).toMatchObject({ failures: 1, last_error: 'Too many.', limited_by: directory })
  expect(hoursFromNow(state.not_before)).toBe(30)
  expect(hoursFromNow(state.retry_at)).toBe(30)
})

it('lets a person try again after a failure of another kind, and the timer after a while', () => {
  writeState(paths, id, { pending })
  rememberFailure(paths, id, directory, new AppError('internal', 'Lost.'))
  rememberFailure(paths, id, directory, new AppError('internal', 'Lost again.'))
  const state = readState(paths, id)
  expect(state).toMatchObject({ failures: 2, last_error: 'Lost again.', not_before: null, pending })
  expect(hoursFromNow(state.retry_at)).toBe(2)
})

it('gives up an order that the authority refused', () => {
  writeState(paths, id, { pending })
  rememberFailure(paths, id, directory, new AuthorityError('No.', { kind: 'malformed', httpStatus: 400 }))
  expect(readState(paths, id).pending).toBeNull()
})

it('does not show what nobody foresaw', () => {
  rememberFailure(paths, id, directory, new TypeError('x is not a function'))
  expect(readState(paths, id).last_error).not.toContain('x is not')
})
