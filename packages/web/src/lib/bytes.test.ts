import { expect, it } from 'vitest'
import { byteSize } from './bytes.ts'

it('keeps two figures that matter', () => {
  expect([0, 812, 1434, 24 * 1024 ** 2, 1.2 * 1024 ** 3, 5 * 1024 ** 5].map(byteSize)).toEqual([
    '0 B',
    '812 B',
    '1.4 KB',
    '24 MB',
    '1.2 GB',
    '5120 TB',
  ])
})
