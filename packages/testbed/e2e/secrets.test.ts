import { afterAll, beforeAll } from 'vitest'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { type ArgumentsWatch, watchArguments } from '../src/watch-arguments.ts'
import { secrets } from '../suites/secrets.ts'

let watch: ArgumentsWatch
let reeve: Reeve

beforeAll(async () => {
  // From before the start, whose programs have arguments too.
  watch = watchArguments()
  reeve = await startReeve()
}, 120_000)

afterAll(async () => {
  watch[Symbol.dispose]()
  await reeve[Symbol.asyncDispose]()
}, 60_000)

secrets(
  () => reeve,
  () => watch,
)
