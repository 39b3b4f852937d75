import { TimerName } from '@reeve/contract/timers.ts'
import { expect, it } from 'vitest'
import { startClock } from './clock.ts'

const schedule = (name: string, everySeconds: number) => ({
  name: TimerName.parse(name),
  everySeconds,
  randomDelaySeconds: 0.01,
})

it('runs each timer again and again, also one that fails', async () => {
  const runs = new Map<string, number>()
  await using _clock = startClock([schedule('good', 0.01), schedule('bad', 0.01)], async (name) => {
    runs.set(name, (runs.get(name) ?? 0) + 1)
    if (name === 'bad') throw new Error('as it happens')
  })
  await expect
    .poll(() => Math.min(runs.get('good') ?? 0, runs.get('bad') ?? 0), { timeout: 10_000 })
    .toBeGreaterThan(3)
})

it('does not start a timer whose work is still under way', async () => {
  let started = 0
  const release = Promise.withResolvers<void>()
  const other = Promise.withResolvers<void>()
  let others = 0
  {
    await using _clock = startClock([schedule('slow', 0.001), schedule('other', 0.01)], async (name) => {
      if (name === 'other') {
        others++
        if (others === 5) other.resolve()
        return
      }
      started++
      await release.promise
    })
    await other.promise
    release.resolve()
    expect(started).toBe(1)
  }
})

it('waits at its end for the work under way, and starts nothing more', async () => {
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let ended = 0
  const clock = startClock([schedule('slow', 0.001)], async () => {
    begun.resolve()
    await release.promise
    ended++
  })
  await begun.promise
  const stopped = clock[Symbol.asyncDispose]()
  release.resolve()
  await stopped
  expect(ended).toBe(1)
})
