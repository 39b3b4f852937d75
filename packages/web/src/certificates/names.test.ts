import { expect, it } from 'vitest'
import { covers } from './names.ts'

it('covers a name that is listed, and one label below a wildcard', () => {
  expect(covers(['a.test', 'www.a.test'], 'www.a.test')).toBe(true)
  expect(covers(['a.test'], 'www.a.test')).toBe(false)
  expect(covers(['*.a.test'], 'www.a.test')).toBe(true)
  expect(covers(['*.a.test'], 'a.test')).toBe(false)
  expect(covers(['*.a.test'], 'x.www.a.test')).toBe(false)
  expect(covers([], 'a.test')).toBe(false)
})
