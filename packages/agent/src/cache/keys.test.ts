import { expect, test } from 'vitest'
import { keysOf, ownTargets, storedPath } from './keys.ts'

const names = ['example.com', 'www.example.com']

test.each([
  ['https://example.com/', ['/']],
  ['http://www.example.com:8080/a/b/?c=d#e', ['/a/b/?c=d']],
  ['https://EXAMPLE.com/Path', ['/Path']],
  ['https://example.com/ü/', ['/%C3%BC/', '/%c3%bc/']],
  ['https://example.com/%c3%BC/', ['/%c3%BC/', '/%C3%BC/', '/%c3%bc/']],
  ['https://example.com/a/../b/', ['/b/']],
])('%s is asked for as %j', (address, targets) => {
  expect(ownTargets(names, address)).toEqual(targets)
})

test.each([
  ['https://example.org/', 'example.org'],
  ['https://sub.example.com/', 'sub.example.com'],
  ['https://example.com.evil.net/', 'example.com.evil.net'],
  ['https://example.com@evil.net/', 'evil.net'],
  ['//example.com/', 'not an address'],
  ['/path', 'not an address'],
  ['javascript:alert(1)', 'not an address'],
  ['https://[::1]/', 'not an address'],
  ['https://127.0.0.1/', 'not an address'],
  ['', 'not an address'],
  ['https://exa\nmple.org/', 'example.org'],
])('%j is refused and says %s', (address, said) => {
  expect(() => ownTargets(names, address)).toThrow(said)
})

test('no target can hold what ends a header line', () => {
  const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
  for (const target of ownTargets(names, `https://example.com/${bytes}?${bytes}`)) {
    expect(target).toMatch(/^[!-~]+$/)
  }
})

test('a page has a key for each scheme, name and encoding, and the place nginx gives it', () => {
  const keys = keysOf(names, '/a/')
  expect(keys).toHaveLength(8)
  expect(keys).toContain('httpswww.example.com/a/gzip')
  // md5 of "httpsexample.com/" as nginx computes it.
  expect(storedPath('/cache', 'httpsexample.com/')).toMatch(/^\/cache\/[0-9a-f]\/[0-9a-f]{2}\/[0-9a-f]{32}$/)
})
