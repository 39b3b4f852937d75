import { expect, test } from 'vitest'
import { officialSite, parseCoreSource, parseCoreVersion } from './core-source.ts'

test.each(['6.8', '6.8.7', '6.9-RC2', '7.0-beta1', '7.0-alpha-60000'])('%s is a version', (version) => {
  expect(parseCoreVersion(version)).toBe(version)
})

test.each(['', '.', '..', '6', '6.8.7/..', '6.8.7\n', '../6.8', '6.8.7 ', '.archives', '6.8.7.8', '-6.8'])(
  '%j is no version, so it never becomes a path',
  (text) => {
    expect(parseCoreVersion(text)).toBeUndefined()
  },
)

test('without a setting the latest official version is used', () => {
  const latest = { kind: 'official', version: undefined, site: officialSite }
  expect(parseCoreSource(undefined)).toEqual(latest)
  expect(parseCoreSource('official')).toEqual(latest)
  expect(parseCoreSource('official:6.8.3')).toEqual({ ...latest, version: '6.8.3' })
})

test('a folder and an archive are told apart by what is there', () => {
  expect(parseCoreSource('/usr')).toEqual({ kind: 'directory', path: '/usr' })
  expect(() => parseCoreSource('/etc/passwd')).toThrow('neither a folder nor')
})

test.each([
  'wordpress',
  './wordpress',
  'https://example.com/x.tar.gz',
  'official:../6.8',
  '/nonexistent/wordpress',
])('refuses %s with a sentence that names the setting', (text) => {
  expect(() => parseCoreSource(text)).toThrow(`REEVE_WORDPRESS_SOURCE is "${text}"`)
})
