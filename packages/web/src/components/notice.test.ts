import { describe, expect, it } from 'vitest'
import { ApiError } from '../lib/api.ts'
import { rejection } from './notice.tsx'

const labels = { domain: 'Domain', aliases: 'Aliases', title: 'Site title' }
const refused = (message: string, field?: string) => new ApiError(400, 'invalid_request', message, { field })

describe('rejection', () => {
  it('stands at the field, under the name people see', () => {
    expect(rejection(refused('domain: is reserved', 'domain'), labels)).toEqual({
      field: 'domain',
      message: 'Domain is reserved',
    })
    expect(rejection(refused('title is needed.', 'title'), labels)?.message).toBe('Site title is needed.')
  })
  it('finds the field of an item in a list', () => {
    expect(rejection(refused('aliases.1: is not a domain name', 'aliases.1'), labels)).toEqual({
      field: 'aliases',
      message: 'Aliases is not a domain name',
    })
  })
  it('leaves whole sentences as they are', () => {
    expect(rejection(refused('a.test is not available on this server.', 'domain'), labels)?.message).toBe(
      'a.test is not available on this server.',
    )
    expect(rejection(refused('title: Too long', 'title'), labels)?.message).toBe('Too long')
  })
  it('stands above the form when the field is not on it, or when none is named', () => {
    expect(rejection(refused('Unknown field "x".', 'x'), labels)?.field).toBeUndefined()
    expect(rejection(refused('No.'), labels)).toEqual({ field: undefined, message: 'No.' })
    expect(rejection(null, labels)).toBeUndefined()
  })
})
