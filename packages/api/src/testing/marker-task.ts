// A task whose whole effect is a folder of files, so that a test can see what is left of it. Run as a program
// it carries on with what the journal in `<folder>/state.db` holds, like a panel that starts.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import * as z from 'zod'
import { createAgentClient } from '../agent-client.ts'
import { openDatabase } from '../db/open.ts'
import { createEventHub } from '../events.ts'
import { type BoundTask, defineTask } from '../tasks/definition.ts'
import { insertTask } from '../tasks/journal.ts'
import { createTaskRunner, type TaskRunner } from '../tasks/runner.ts'
import type { Database } from '../db/types.ts'

export const stepNames = ['one', 'two', 'three'] as const
const folderOf = (folder: string) => join(folder, 'world')

const Input = z.object({
  folder: z.string(),
  secret: z.string(),
  /** The step that fails for real, if any. */
  failAt: z.string().nullable(),
  /** The step whose undo fails for real, if any. */
  failUndoAt: z.string().nullable(),
})
export type MarkerInput = z.infer<typeof Input>

export const markerTask: BoundTask = defineTask({
  kind: 'test.mark',
  input: Input,
  steps: stepNames.map((name) => ({
    name,
    async run({ log }, { folder, failAt }: MarkerInput) {
      log(`marking ${name}`)
      writeFileSync(join(folderOf(folder), name), '')
      if (failAt === name) throw new AppError('refused', `Step ${name} cannot be done.`)
    },
    async undo(_context, { folder, failUndoAt }: MarkerInput) {
      if (failUndoAt === name) throw new AppError('refused', `Step ${name} cannot be undone.`)
      rmSync(join(folderOf(folder), name), { force: true })
    },
  })),
  async settle(transaction, _input, outcome) {
    await transaction.insertInto('settings').values({ key: 'outcome', value: outcome.kind }).execute()
  },
})

export const marked = (folder: string): string[] => readdirSync(folderOf(folder)).sort()

export interface World extends AsyncDisposable {
  readonly db: Database
  readonly runner: TaskRunner
  /** Messages of the process's own log. */
  readonly logged: readonly string[]
}

export async function openWorld(
  folder: string,
  definitions: readonly BoundTask[] = [markerTask],
): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const { db } = opening.use(await openDatabase(join(folder, 'state.db'), join(folder, 'backups')))
  const events = opening.use(
    createEventHub(
      async () => undefined,
      () => {},
    ),
  )
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  const agent = createAgentClient(join(folder, 'agent.sock'))
  const runner = opening.use(createTaskRunner({ db, agent, events, log }, definitions))
  const owned = opening.move()
  return { db, runner, logged, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export async function addMarkerTask(db: Database, input: MarkerInput): Promise<string> {
  const task = {
    definition: markerTask,
    input,
    siteId: null,
    siteDomain: null,
    actor: 'system',
    actorId: null,
  }
  return await db.transaction().execute((transaction) => insertTask(transaction, task))
}

if (import.meta.main) {
  const folder = process.argv[2]
  if (!folder || !existsSync(folder)) throw new Error('usage: marker-task.ts <folder>')
  await using world = await openWorld(folder)
  await world.runner.resume()
  await world.runner.idle()
}
