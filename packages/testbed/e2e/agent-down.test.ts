import { afterAll, beforeAll } from 'vitest'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { agentDown } from '../suites/agent-down.ts'

let reeve: Reeve

beforeAll(async () => {
  reeve = await startReeve()
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
}, 60_000)

agentDown(() => reeve)
