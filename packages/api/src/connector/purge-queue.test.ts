import type { PurgeTarget } from '@reeve/contract/cache.ts'
import { expect, test } from 'vitest'
import { mergeTargets } from '../cache/targets.ts'
import { createPurgeQueue } from './purge-queue.ts'

/** A purge that ends when it is told to. */
function heldQueue() {
  const asked: {
    siteId: string
    target: PurgeTarget
    end: PromiseWithResolvers<{ purged: number | null }>
  }[] = []
  const queue = createPurgeQueue((siteId, target) => {
    const end = Promise.withResolvers<{ purged: number | null }>()
    asked.push({ siteId, target, end })
    return end.promise
  })
  return { queue, asked }
}

const urls = (...names: string[]): PurgeTarget => ({ urls: names })
const turn = () => new Promise((done) => setImmediate(done))

test('what comes while a purge runs becomes one next purge, and each waits for its own', async () => {
  const { queue, asked } = heldQueue()
  const first = queue.add('s1', urls('a'))
  await turn()
  const ended: string[] = []
  const rest = ['b', 'c', 'b'].map((name) => queue.add('s1', urls(name)).then(() => ended.push(name)))
  await turn()
  expect(asked.map(({ target }) => target)).toEqual([urls('a')])
  asked[0]?.end.resolve({ purged: 1 })
  expect(await first).toEqual({ purged: 1 })
  await turn()
  expect(asked.map(({ target }) => target)).toEqual([urls('a'), urls('b', 'c')])
  expect(ended).toEqual([])
  asked[1]?.end.resolve({ purged: 2 })
  await Promise.all(rest)
  expect(ended).toHaveLength(3)
})

test('one site does not wait for another, and a failure is told to those it concerns', async () => {
  const { queue, asked } = heldQueue()
  const failing = queue.add('s1', { all: true })
  const other = queue.add('s2', urls('x'))
  await turn()
  expect(asked.map(({ siteId }) => siteId)).toEqual(['s1', 's2'])
  const next = queue.add('s1', urls('y'))
  asked[0]?.end.reject(new Error('nginx is away'))
  await expect(failing).rejects.toThrow('nginx is away')
  asked[1]?.end.resolve({ purged: 0 })
  await other
  await turn()
  asked[2]?.end.resolve({ purged: 1 })
  expect(await next).toEqual({ purged: 1 })
})

test('a site that asks without end is told to wait', async () => {
  const { queue, asked } = heldQueue()
  const running = queue.add('s1', urls('a'))
  await turn()
  const waiting = Array.from({ length: 100 }, (_, at) => queue.add('s1', urls(String(at))))
  expect(() => queue.add('s1', urls('more'))).toThrow('Too many purges')
  await turn()
  asked[0]?.end.resolve({ purged: 1 })
  await running
  await turn()
  expect(asked).toHaveLength(2)
  asked[1]?.end.resolve({ purged: 100 })
  await Promise.all(waiting)
  expect(
    (
      await Promise.allSettled([
        queue.add('s1', urls('z')),
        turn().then(() => asked[2]?.end.resolve({ purged: 0 })),
      ])
    )[0]?.status,
  ).toBe('fulfilled')
})

test('targets that together are too many become all', () => {
  const many = Array.from({ length: 300 }, (_, at) => `u${at}`)
  expect(mergeTargets(urls(...many), urls(...many))).toEqual(urls(...many))
  expect(mergeTargets(urls(...many), urls(...many.map((name) => `${name}x`)))).toEqual({ all: true })
  expect(mergeTargets({ all: true }, urls('a'))).toEqual({ all: true })
  expect(
    mergeTargets({ urls: ['a'], listings: ['post'] }, { urls: ['b'], listings: ['page', 'post'] }),
  ).toEqual({
    urls: ['a', 'b'],
    listings: ['post', 'page'],
  })
})
