import { expect, it } from 'vitest'
import { createConfigBatch } from './config-batch.ts'

/** A configuration of words; a reload fails while the word `bad` is in it. */
function setUp() {
  const words = new Set<string>()
  const reloads: string[][] = []
  const change = createConfigBatch(async () => {
    reloads.push([...words])
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (words.has('bad')) throw new Error('refused: bad')
  })
  const add = (word: string) =>
    change(() => {
      const changed = !words.has(word)
      words.add(word)
      return [{ changed, undo: () => words.delete(word) }]
    })
  return { words, reloads, add, change }
}

it('shares one reload between changes that wait together', async () => {
  const { add, reloads } = setUp()
  expect(await Promise.all([add('a'), add('b'), add('c')])).toEqual([true, true, true])
  expect(reloads).toEqual([['a', 'b', 'c']])
})

it('does not reload when nothing changed', async () => {
  const { add, reloads } = setUp()
  await add('a')
  expect(await add('a')).toBe(false)
  expect(reloads).toHaveLength(1)
})

it('takes a refused change back and keeps those that shared its batch', async () => {
  const { add, words } = setUp()
  const outcomes = await Promise.allSettled([add('a'), add('bad'), add('c')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect([...words].sort()).toEqual(['a', 'c'])
})

it('a change that cannot be written fails alone', async () => {
  const { add, change, words } = setUp()
  const broken = change(() => {
    throw new Error('edited by hand')
  })
  const outcomes = await Promise.allSettled([broken, add('a')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect([...words]).toEqual(['a'])
})

it('goes on after a failure', async () => {
  const { add } = setUp()
  await expect(add('bad')).rejects.toThrow('refused: bad')
  expect(await add('good')).toBe(true)
})
