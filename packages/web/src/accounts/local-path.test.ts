import { expect, it } from 'vitest'
import { localPath } from './local-path.ts'

it.each([
  [undefined, '/'],
  ['/sites?state=failed', '/sites?state=failed'],
  ['https://evil.test/x', '/'],
  ['//evil.test', '/'],
  ['/\\evil.test', '/'],
  ['/.//evil.test', '/'],
  ['javascript:alert(1)', '/'],
])('%s leads to %s', (next, path) => {
  expect(localPath(next)).toBe(path)
})
