import { afterAll, beforeAll } from 'vitest'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { logRotation } from '../suites/log-rotation.ts'
import { comingBack } from '../suites/services.ts'

let reeve: Reeve

beforeAll(async () => {
  reeve = await startReeve()
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
})

comingBack(() => reeve)
logRotation(() => reeve)
