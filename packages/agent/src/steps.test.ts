import type { StepState } from '@reeve/contract/operation.ts'
import { expect, it } from 'vitest'
import { runSteps, type Step } from './steps.ts'

function recorder() {
  const seen: string[] = []
  const progress = {
    step: (name: string, state: StepState) => void seen.push(`${name} ${state}`),
    log: (text: string) => void seen.push(`log ${text}`),
  }
  return { seen, progress }
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const step = (name: string, after: string[], run: () => Promise<void> = async () => {}): Step => ({
  name,
  after,
  run,
})

it('runs what does not need each other side by side', async () => {
  const { progress } = recorder()
  let atOnce = 0
  let most = 0
  const busy = async () => {
    most = Math.max(most, ++atOnce)
    await wait(20)
    atOnce--
  }
  await runSteps('test', [step('a', [], busy), step('b', [], busy), step('c', ['a', 'b'], busy)], progress)
  expect(most).toBe(2)
})

it('starts a step only after those it needs', async () => {
  const { seen, progress } = recorder()
  await runSteps('test', [step('a', [], () => wait(10)), step('b', ['a'])], progress)
  expect(seen).toEqual(['a running', 'a succeeded', 'b running', 'b succeeded'])
})

it('throws the first failure after every started step has ended, and starts nothing behind it', async () => {
  const { seen, progress } = recorder()
  let hasEnded = false
  const slow = async () => {
    await wait(30)
    hasEnded = true
    throw new Error('the network is down')
  }
  const fail = async () => {
    throw new Error('the disk is full')
  }
  const work = runSteps(
    'test',
    [step('slow', [], slow), step('bad', [], fail), step('behind', ['bad'])],
    progress,
  )
  await expect(work).rejects.toThrow('the disk is full')
  expect(hasEnded).toBe(true)
  // The caller is given the first and tells it; the second is only here.
  expect(seen.filter((line) => line.startsWith('log'))).toEqual(['log slow: the network is down'])
  expect(seen.some((line) => line.startsWith('behind'))).toBe(false)
})
