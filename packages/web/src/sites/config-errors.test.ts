import { expect, it } from 'vitest'
import { ApiError } from '../lib/api.ts'
import { listMessage, refusalsOf } from './config-errors.ts'

const refused = (field: string, message: string, details = {}) =>
  new ApiError(400, 'invalid_request', message, { field, ...details })

it('finds the field, and the entry of a list', () => {
  const refusals = refusalsOf(refused('aliases.1', 'aliases.1: is not a domain name'))
  expect(refusals).toEqual({ aliases: { message: 'is not a domain name', index: 1 } })
  expect(listMessage(refusals?.['aliases'], ['a.test', 'no domain'])).toBe('“no domain” is not a domain name')
})

it('finds the part of a redirect, and fields inside others', () => {
  expect(refusalsOf(refused('redirects.0.to', 'redirects.0.to: must be a path'))).toEqual({
    redirects: { message: 'must be a path', index: 0, part: 'to' },
  })
  expect(refusalsOf(refused('cache.ttl_s', 'cache.ttl_s: Too small'))).toEqual({
    cacheTtl: { message: 'Too small' },
  })
  expect(refusalsOf(refused('basic_auth.password', 'A password is needed.'))).toEqual({
    basicAuthPassword: { message: 'A password is needed.' },
  })
})

it('finds the line of the snippet', () => {
  expect(refusalsOf(refused('nginx_snippet', 'unknown directive "x"', { line: 3 }))).toEqual({
    snippet: { message: 'unknown directive "x"', line: 3 },
  })
})

it('leaves to the top of the form what names no field of it', () => {
  expect(refusalsOf(refused('elsewhere', 'No.'))).toBeUndefined()
  expect(refusalsOf(new ApiError(409, 'conflict', 'Busy.'))).toBeUndefined()
  expect(refusalsOf(null)).toBeUndefined()
})
