import { afterAll, beforeAll, expect } from 'vitest'
import { processesOf, type Reeve, startReeve } from '../src/reeve.ts'
import { siteLife } from '../suites/site-life.ts'

let reeve: Reeve

beforeAll(async () => {
  reeve = await startReeve()
}, 120_000)

afterAll(async () => {
  const { root } = reeve
  await reeve[Symbol.asyncDispose]()
  expect(processesOf(root)).toEqual([])
}, 60_000)

siteLife(() => reeve)
