import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { siteRemove } from '@reeve/contract/sites.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import * as z from 'zod'
import { startAgentServer } from '../testing/agent-server.ts'
import { addMarkerTask, type MarkerInput, marked, openWorld, stepNames } from '../testing/marker-task.ts'
import { type BoundTask, defineTask } from './definition.ts'
import { insertTask, readTask } from './journal.ts'
import { readTaskLog } from './task-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/var/tmp/reeve-tasks-')
  mkdirSync(join(folder, 'world'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const input = (more: Partial<MarkerInput> = {}): MarkerInput => ({
  folder,
  secret: 'the-secret-in-the-input',
  failAt: null,
  failUndoAt: null,
  ...more,
})

/** A panel's life in a process of its own; answers how it ended. */
function runProcess(failpoint?: string): { signal: NodeJS.Signals | null; status: number | null } {
  const program = join(import.meta.dirname, '../testing/marker-task.ts')
  const file = join(folder, 'failpoint')
  if (failpoint !== undefined) writeFileSync(file, failpoint)
  const { signal, status, stderr } = spawnSync(process.execPath, [program, folder], {
    env: { REEVE_FAILPOINT_FILE: file },
    timeout: 20_000,
  })
  if (status !== 0 && signal === null) throw new Error(String(stderr))
  return { signal, status }
}

async function prepare(more: Partial<MarkerInput> = {}): Promise<string> {
  await using world = await openWorld(folder)
  return await addMarkerTask(world.db, input(more))
}

async function inspect(id: string) {
  await using world = await openWorld(folder)
  const task = await readTask(world.db, id)
  const row = await world.db.selectFrom('tasks').select('input').where('id', '=', id).executeTakeFirst()
  const outcome = await world.db.selectFrom('settings').select('value').executeTakeFirst()
  return { task, input: row?.input, outcome: outcome?.value, log: (await readTaskLog(world.db, id, 0)).log }
}

const points = stepNames.flatMap((step) => ['before', 'after'].map((moment) => `test.mark.${step}:${moment}`))

test('a task runs its steps in order and forgets its input', async () => {
  const id = await prepare()
  expect(runProcess().status).toBe(0)
  const { task, input: kept, outcome, log } = await inspect(id)
  expect(task).toMatchObject({ state: 'succeeded', progress: 1, error: null })
  expect(task?.steps.map(({ name, state }) => [name, state])).toEqual(
    stepNames.map((name) => [name, 'succeeded']),
  )
  expect(kept).toBeNull()
  expect(outcome).toBe('succeeded')
  expect(log).toBe('marking one\nmarking two\nmarking three\n')
  expect(marked(folder)).toEqual([...stepNames].sort())
})

describe('a failure leaves a clean slate', () => {
  test.each(points)('%s', async (point) => {
    const id = await prepare()
    runProcess(`${point}:error`)
    const { task, input: kept, outcome } = await inspect(id)
    expect(task?.state).toBe('failed')
    expect(task?.error).toContain('Failure injected')
    expect(task?.steps.filter(({ state }) => state === 'succeeded' || state === 'running')).toEqual([])
    expect(kept).toBeNull()
    expect(outcome).toBe('undone')
    expect(marked(folder)).toEqual([])
  })
})

describe('kill -9, then a new start: the task finishes', () => {
  test.each(points)('%s', async (point) => {
    const id = await prepare()
    expect(runProcess(`${point}:kill`).signal).toBe('SIGKILL')
    expect((await inspect(id)).task?.state).toBe('running')
    runProcess()
    const { task, input: kept, log } = await inspect(id)
    expect(task?.state).toBe('succeeded')
    expect(kept).toBeNull()
    expect(log).toContain('Interrupted; carrying on')
    // Steps that the journal knows as done are not run again.
    const step = stepNames.findIndex((name) => point.includes(name))
    for (const name of stepNames.slice(0, step)) expect(log.split(`marking ${name}`)).toHaveLength(2)
    expect(marked(folder)).toEqual([...stepNames].sort())
  })
})

describe('kill -9 while undoing, then a new start: a clean slate', () => {
  const undoPoints = stepNames.flatMap((step) =>
    ['before', 'after'].map((moment) => `test.mark.${step}.undo:${moment}`),
  )
  test.each(undoPoints)('%s', async (point) => {
    const id = await prepare({ failAt: 'three' })
    expect(runProcess(`${point}:kill`).signal).toBe('SIGKILL')
    expect((await inspect(id)).task?.state).toBe('undoing')
    runProcess()
    const { task, outcome } = await inspect(id)
    expect(task).toMatchObject({ state: 'failed', error: 'Step three cannot be done.' })
    expect(outcome).toBe('undone')
    expect(marked(folder)).toEqual([])
  })
})

test('an undo that fails for good says so and leaves the rest to see', async () => {
  const id = await prepare({ failAt: 'three', failUndoAt: 'two' })
  runProcess()
  const { task, outcome } = await inspect(id)
  expect(task?.state).toBe('failed')
  expect(task?.error).toBe('Step three cannot be done. Undoing "two" failed too: Step two cannot be undone.')
  expect(outcome).toBe('stuck')
  expect(marked(folder)).toEqual(['one', 'two'])
})

describe('an agent that goes away', () => {
  const removal: BoundTask = defineTask({
    kind: 'test.remove',
    input: z.object({}),
    steps: [
      {
        name: 'remove',
        substeps: () => ['files', 'user'],
        async run({ call }) {
          await call(siteRemove, { id: 'saaaaaaaaaaaaaaa' }, 5000)
        },
      },
    ],
  })
  const add = (world: Awaited<ReturnType<typeof openWorld>>) =>
    world.db.transaction().execute((transaction) =>
      insertTask(transaction, {
        definition: removal,
        input: {},
        siteId: null,
        siteDomain: null,
        actor: 'system',
        actorId: null,
      }),
    )

  test('is waited for, and the step is run again', async () => {
    await using agent = await startAgentServer(join(folder, 'agent.sock'))
    await using world = await openWorld(folder, [removal])
    let tries = 0
    agent.answer('site.remove', (_input, send) => {
      send({ type: 'step', name: 'files', state: 'succeeded' })
      if (++tries === 1) {
        void agent.stop().then(() => setTimeout(() => void agent.start(), 300))
        throw new Error('gone')
      }
      send({ type: 'log', text: 'second time' })
      return { removed: true }
    })
    const id = await add(world)
    world.runner.start(id)
    await world.runner.idle()
    const task = await readTask(world.db, id)
    expect(tries).toBe(2)
    expect(task?.state).toBe('succeeded')
    expect(task?.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'files succeeded',
      'user succeeded',
    ])
    const { log } = await readTaskLog(world.db, id, 0)
    expect(log).toMatch(/went away; waiting[\s\S]*is back; running "remove" again[\s\S]*second time/)
  })

  test('does not keep the panel from stopping; the next start goes on', async () => {
    await using world = await openWorld(folder, [removal])
    const id = await add(world)
    world.runner.start(id)
    await expect.poll(async () => (await readTaskLog(world.db, id, 0)).log).toContain('waiting for it')
    const started = Date.now()
    await world.runner[Symbol.asyncDispose]()
    expect(Date.now() - started).toBeLessThan(1500)
    expect((await readTask(world.db, id))?.state).toBe('running')
  })

  test('that refuses is not asked again: the task fails with the sentence it gave', async () => {
    await using agent = await startAgentServer(join(folder, 'agent.sock'))
    await using world = await openWorld(folder, [removal])
    agent.answer('site.remove', () => {
      throw new AppError('refused', 'The site is on fire.')
    })
    const id = await add(world)
    world.runner.start(id)
    await world.runner.idle()
    expect(await readTask(world.db, id)).toMatchObject({
      state: 'failed',
      error: 'The site is on fire.',
    })
  })
})

describe('a task does not stay where it is', () => {
  test('when the database could not be written for a while', async () => {
    await using world = await openWorld(folder)
    const id = await addMarkerTask(world.db, input({ failAt: 'two' }))
    await sql`pragma query_only = 1`.execute(world.db)
    world.runner.start(id)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await sql`pragma query_only = 0`.execute(world.db)
    await world.runner.idle()
    expect(await readTask(world.db, id)).toMatchObject({
      state: 'failed',
      error: 'Step two cannot be done.',
    })
    expect(marked(folder)).toEqual([])
    expect(world.logged).toContain('task interrupted')
    const { log, log_offset } = await readTaskLog(world.db, id, 0)
    expect(log_offset).toBe(log.length)
  })

  test.each([
    ['of a kind that this version does not know', { kind: 'test.unknown' }],
    ['with an input that this version cannot read', { input: '{"old":true}' }],
  ])('%s', async (_name, change) => {
    await using world = await openWorld(folder)
    const id = await addMarkerTask(world.db, input())
    await world.db.updateTable('tasks').set(change).where('id', '=', id).execute()
    await world.runner.resume()
    await world.runner.idle()
    const task = await readTask(world.db, id)
    expect(task?.state).toBe('failed')
    expect(task?.error).toContain('does not know how to carry on')
    expect(marked(folder)).toEqual([])
  })
})

describe('the journal', () => {
  test('takes one task per site and names the one that is there', async () => {
    await using world = await openWorld(folder)
    const forSite = {
      definition: defineTask({ kind: 'test.idle', input: z.object({}), steps: [] }),
      input: {},
      siteId: 'saaaaaaaaaaaaaaa',
      siteDomain: 'a.example.test',
      actor: 'system',
      actorId: null,
    }
    const add = () => world.db.transaction().execute((transaction) => insertTask(transaction, forSite))
    const first = await add()
    const refused = await add().catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'conflict', details: { task_id: first } })
    expect(String(refused)).toContain('a.example.test is being worked on by test.idle')
  })
})
