import { expect, it } from 'vitest'
import { createKeyedLock } from './keyed-lock.ts'

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

it('lets one holder in at a time, in order, also past a failure', async () => {
  const lock = createKeyedLock()
  const seen: string[] = []
  const hold = (name: string, fails = false) =>
    lock.hold('a', async () => {
      seen.push(`${name} in`)
      await wait(5)
      seen.push(`${name} out`)
      if (fails) throw new Error(name)
    })
  await Promise.allSettled([hold('1'), hold('2', true), hold('3')])
  expect(seen).toEqual(['1 in', '1 out', '2 in', '2 out', '3 in', '3 out'])
})

it('does not make different keys wait for each other', async () => {
  const lock = createKeyedLock()
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = lock.hold('a', () => promise)
  expect(await lock.hold('b', async () => 'through')).toBe('through')
  resolve()
  await first
})
