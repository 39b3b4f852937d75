// The promised figures, with fewer rounds than the benchmarks that this runs (packages/testbed/bench).
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { limits, measurePairs, resultOf } from '../bench/create-site.ts'
import { isolationLimit, measureIsolation } from '../bench/isolation-cost.ts'
import { limits as memoryLimits, measureMemory } from '../bench/memory.ts'
import { createMany, growthLimit } from '../src/growth.ts'
import { repository, startReeve } from '../src/reeve.ts'

const execute = promisify(execFile)

it('creates a WordPress site in half the time of the same steps by hand, and deletes it at once', {
  retry: 2,
}, async () => {
  await using reeve = await startReeve()
  const { ratio, deleteMs } = resultOf(await measurePairs(reeve, 3))
  expect(ratio).toBeLessThanOrEqual(limits.ratio)
  expect(deleteMs).toBeLessThanOrEqual(limits.deleteMs)
})

it('keeps both processes small, at rest and after 20,000 requests', { retry: 2 }, async () => {
  await using reeve = await startReeve()
  const { rest, loaded } = await measureMemory(reeve, { requests: 20_000, restSeconds: 12 })
  expect(rest.totalMb).toBeLessThanOrEqual(memoryLimits.restMb)
  expect(loaded.totalMb).toBeLessThanOrEqual(memoryLimits.loadedMb)
})

it('serves a cached page for little more than a static file costs', { retry: 2 }, async () => {
  const program = join(repository, 'packages/testbed/bench/page-cache.ts')
  const { stdout } = await execute(process.execPath, [program, '--check', '--rounds', '3', '--seconds', '2'])
  expect(stdout.trimEnd().endsWith('\nmet')).toBe(true)
})

it('isolates PHP at no cost to an uncached page', { retry: 2 }, async () => {
  await using reeve = await startReeve()
  const { ratio } = await measureIsolation(reeve, 80)
  expect(ratio).toBeLessThanOrEqual(isolationLimit)
})

it('creates the fortieth site nearly as fast as the second', { retry: 2 }, async () => {
  await using reeve = await startReeve()
  const { secondMs, lastMs } = await createMany(reeve, { sites: 40, rounds: 3 })
  expect(lastMs / secondMs).toBeLessThanOrEqual(growthLimit)
})
