import { describe, expect, it } from 'vitest'
import { createRunQueue, type QueueEntry } from './queue.ts'

/** Entries that run until they are let go or aborted, and what runs now. */
function workload() {
  const running = new Set<string>()
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const entry = (siteId: string, job: string): QueueEntry => {
    const key = `${siteId}/${job}`
    return {
      key,
      siteId,
      run: async (signal) => {
        started.push(key)
        running.add(key)
        await new Promise<void>((done) => {
          ends.set(key, done)
          signal.addEventListener('abort', () => done())
        })
        running.delete(key)
      },
    }
  }
  const end = async (key: string) => {
    ends.get(key)?.()
    await new Promise(setImmediate)
  }
  return { entry, end, running, started }
}

describe('a queue of runs', () => {
  it('starts no job beside itself, neither running nor waiting', async () => {
    const { entry, end, started } = workload()
    const queue = createRunQueue({ atOnce: 1, atOnceOfSite: 1 })
    expect(queue.add(entry('a', 'one'))).toBe(true)
    expect(queue.add(entry('a', 'one'))).toBe(false)
    expect(queue.add(entry('b', 'two'))).toBe(true)
    expect(queue.add(entry('b', 'two'))).toBe(false)
    expect(queue.start(entry('a', 'one'))).toBe('running')
    await end('a/one')
    expect(queue.add(entry('a', 'one'))).toBe(true)
    expect(started).toEqual(['a/one', 'b/two'])
    await queue[Symbol.asyncDispose]()
  })

  it('lets no site keep the others waiting', async () => {
    const { entry, end, running } = workload()
    const queue = createRunQueue({ atOnce: 3, atOnceOfSite: 2 })
    for (const job of ['1', '2', '3', '4']) queue.add(entry('greedy', job))
    queue.add(entry('modest', '1'))
    expect([...running]).toEqual(['greedy/1', 'greedy/2', 'modest/1'])
    await end('greedy/1')
    expect([...running]).toEqual(['greedy/2', 'modest/1', 'greedy/3'])
    await queue[Symbol.asyncDispose]()
    expect(running.size).toBe(0)
  })

  it('starts what a person asks for at once, while there is room on the server', async () => {
    const { entry, running } = workload()
    const queue = createRunQueue({ atOnce: 3, atOnceOfSite: 1 })
    queue.add(entry('a', '1'))
    queue.add(entry('a', '2'))
    expect(queue.start(entry('a', '2'))).toBe('started')
    expect([...running]).toEqual(['a/1', 'a/2'])
    queue.add(entry('b', '1'))
    expect(queue.start(entry('a', '3'))).toBe('full')
    await queue[Symbol.asyncDispose]()
  })

  it('ends what is meant and returns when that is gone; the rest goes on', async () => {
    const { entry, running, started } = workload()
    const queue = createRunQueue({ atOnce: 2, atOnceOfSite: 1 })
    queue.add(entry('a', '1'))
    queue.add(entry('a', '2'))
    queue.add(entry('b', '1'))
    await queue.end(({ siteId }) => siteId === 'a')
    expect([...running]).toEqual(['b/1'])
    expect(started).not.toContain('a/2')
    await queue[Symbol.asyncDispose]()
  })
})
