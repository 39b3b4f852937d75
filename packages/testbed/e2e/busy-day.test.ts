// The short form of campaigns/busy-day.ts.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { busyDay } from '../src/busy-day/day.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'

let reeve: Reeve

beforeAll(async () => {
  reeve = await startReeve()
}, 120_000)

afterAll(() => reeve?.[Symbol.asyncDispose](), 60_000)

it('ends with every site as its document says, and nothing left of what was deleted', async () => {
  const { counts, visits, problems } = await busyDay(reeve, 24)
  console.log(`${visits} visits to a bystander; ${JSON.stringify(counts)}`)
  expect(problems).toEqual([])
  expect(counts['task site.create: succeeded']).toBeGreaterThan(0)
  expect(counts['task site.configure: succeeded']).toBeGreaterThan(0)
}, 300_000)
