import { afterAll, beforeAll } from 'vitest'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { repeat } from '../suites/repeat.ts'

let reeve: Reeve

beforeAll(async () => {
  reeve = await startReeve()
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
})

repeat(() => reeve)
