import { afterAll, beforeAll, expect } from 'vitest'
import { deleteAllSites } from '../src/browser.ts'
import { processesOf, type Reeve, startReeve } from '../src/reeve.ts'
import { firstSite } from '../suites/first-site.ts'

let reeve: Reeve

beforeAll(async () => {
  reeve = await startReeve()
}, 120_000)

afterAll(async () => {
  const { root } = reeve
  await deleteAllSites(await reeve.panel())
  await reeve[Symbol.asyncDispose]()
  expect(processesOf(root)).toEqual([])
}, 60_000)

firstSite(() => ({
  ...reeve,
  setupLink: () => /http:\S+\/setup#token=\S+/.exec(reeve.output())?.[0] ?? 'none was printed',
}))
