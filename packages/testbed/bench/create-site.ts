// How long a WordPress site takes: through Reeve, from sending the request to the first uncached page, beside the
// same steps scripted by hand (by-hand.ts). Both run in turns on the same services, so that other work on the
// machine meets both.
//   node packages/testbed/bench/create-site.ts [--check] [--pairs 7]
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { pathsBelow } from '../../agent/src/paths.ts'
import { installedPhpVersions } from '../../agent/src/php/versions.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { visit } from '../src/visitor.ts'
import { median } from './median.ts'
import { createByHand, type HandRun, type StepTime } from './by-hand.ts'

export const limits = { ratio: 0.5, deleteMs: 500 }
/** Each time is a handshake, so asking more often would take a core from what is measured. */
const pollMs = 20
const giveUpMs = 60_000

export interface PanelRun {
  /** From sending the request to the last byte of the first uncached front page. */
  pageMs: number
  /** From sending the request until the task says that it has succeeded. */
  taskMs: number
  /** From sending the deletion until its task has succeeded. */
  deleteMs: number
  /** As the task recorded them; they run side by side. */
  steps: StepTime[]
}

export interface Pair {
  hand: Omit<HandRun, 'remove'>
  panel: PanelRun
}

/** `count` pairs, each way first in turn, after one pair that warms both and is not counted. */
export async function measurePairs(reeve: Reeve, count: number): Promise<Pair[]> {
  await isPrepared(reeve)
  const panel = await reeve.panel()
  const pairs: Pair[] = []
  for (let at = 0; at <= count; at++) {
    const early = at % 2 === 0 ? await byHand(reeve, at) : undefined
    const created = await byPanel(reeve, panel, at)
    const hand = early ?? (await byHand(reeve, at))
    if (at > 0) pairs.push({ hand, panel: created })
  }
  return pairs
}

async function byHand(reeve: Reeve, at: number): Promise<Pair['hand']> {
  const { remove, ...run } = await createByHand(reeve, at)
  await remove()
  return run
}

/** The core, its database template and its compiled files are there: no first site pays for them. */
export async function isPrepared(reeve: Reeve): Promise<void> {
  const paths = pathsBelow(reeve.root)
  const [version] = installedPhpVersions()
  if (version === undefined) throw new Error('No PHP-FPM is installed.')
  const cache = paths.opcacheFiles(version)
  const isSeeded = () => existsSync(cache) && readdirSync(cache).some((name) => name.startsWith('.seeded-'))
  for (const end = performance.now() + giveUpMs; !isSeeded(); await delay(100)) {
    if (performance.now() > end) throw new Error(`WordPress was not prepared:\n${reeve.output()}`)
  }
}

async function byPanel(reeve: Reeve, panel: Panel, at: number): Promise<PanelRun> {
  const domain = `panel-${at}.example.com`
  const { site, task, ...times } = await createTimed(panel, reeve.httpsPort, domain)
  const deletion = performance.now()
  const deleted = await panel.call<{ task: Task }>('DELETE', `/api/sites/${site.id}`)
  if (deleted.status !== 202)
    throw new Error(`DELETE answered ${deleted.status}: ${JSON.stringify(deleted.body)}`)
  await taskIsDone(panel, deleted.body.task.id)
  return { ...times, deleteMs: performance.now() - deletion, steps: stepTimes(task) }
}

export interface TimedCreation {
  site: Site
  task: Task
  /** From sending the request to the last byte of the first uncached front page. */
  pageMs: number
  /** From sending the request until the task says that it has succeeded. */
  taskMs: number
}

/** Creates a WordPress site with an object cache. */
export async function createTimed(panel: Panel, httpsPort: number, domain: string): Promise<TimedCreation> {
  const title = `This is ${domain}`
  const from = performance.now()
  const created = await panel.call<{ task: Task; site: Site }>('POST', '/api/sites', {
    ...wordpressFields,
    domain,
    title,
    object_cache: true,
  })
  if (created.status !== 202)
    throw new Error(`POST answered ${created.status}: ${JSON.stringify(created.body)}`)
  await pageIsServed(domain, httpsPort, title)
  const pageMs = performance.now() - from
  const task = await taskIsDone(panel, created.body.task.id)
  return { site: created.body.site, task, pageMs, taskMs: performance.now() - from }
}

/** Asks for the front page past the cache until it is there whole. */
async function pageIsServed(domain: string, port: number, title: string): Promise<void> {
  const end = performance.now() + giveUpMs
  for (let attempt = 1; performance.now() < end; attempt++) {
    try {
      const { status, text } = await visit(domain, { port, path: `/?uncached=${attempt}` })
      if (status === 200 && text.includes(title) && text.includes('</html>')) return
    } catch {
      // No certificate for this name yet.
    }
    await delay(pollMs)
  }
  throw new Error(`${domain} was not served within ${giveUpMs} ms.`)
}

async function taskIsDone(panel: Panel, id: string): Promise<Task> {
  for (const end = performance.now() + giveUpMs; performance.now() < end; await delay(pollMs)) {
    const { body } = await panel.call<Task>('GET', `/api/tasks/${id}`)
    if (body.state === 'succeeded') return body
    if (body.state === 'failed') throw new Error(`The task failed: ${body.error}`)
  }
  throw new Error(`The task ${id} did not end within ${giveUpMs} ms.`)
}

function stepTimes(task: Task): StepTime[] {
  return task.steps.map(({ name, started_at, finished_at }) => ({
    name,
    ms: Date.parse(finished_at ?? '') - Date.parse(started_at ?? ''),
  }))
}

export interface Result {
  handMs: number
  pageMs: number
  ratio: number
  deleteMs: number
}

export function resultOf(pairs: readonly Pair[]): Result {
  const handMs = median(pairs.map(({ hand }) => hand.totalMs))
  const pageMs = median(pairs.map(({ panel }) => panel.pageMs))
  return {
    handMs,
    pageMs,
    ratio: pageMs / handMs,
    deleteMs: median(pairs.map(({ panel }) => panel.deleteMs)),
  }
}

const spread = (values: readonly number[], digits = 0): string =>
  [Math.min(...values), median(values), Math.max(...values)]
    .map((value) => value.toFixed(digits).padStart(6))
    .join(' /')

function stepTable(runs: readonly (readonly StepTime[])[]): string {
  const names = runs[0]?.map(({ name }) => name) ?? []
  const times = (name: string) =>
    runs.map((steps) => steps.find((step) => step.name === name)?.ms ?? Number.NaN)
  return names.map((name) => `  ${name.padEnd(36)}${spread(times(name))}`).join('\n')
}

function report(pairs: readonly Pair[]): string {
  const panel = (pick: (run: PanelRun) => number) => pairs.map((pair) => pick(pair.panel))
  const ratios = pairs.map(({ hand, panel: run }) => run.pageMs / hand.totalMs)
  // Copying 75 MB is the step that differs most from disk to disk, and the one that Reeve does not have.
  const withoutCopy = pairs.map(({ hand, panel: run }) => {
    const copy = hand.steps.find(({ name }) => name === 'copy of the core')?.ms ?? Number.NaN
    return run.pageMs / (hand.totalMs - copy)
  })
  const line = (name: string, values: readonly number[]) => `${name.padEnd(38)}${spread(values)}`
  return [
    `A WordPress site with page and object cache; ms, min / median / max of ${pairs.length} pairs`,
    '',
    line(
      'by hand, to the first uncached page',
      pairs.map(({ hand }) => hand.totalMs),
    ),
    stepTable(pairs.map(({ hand }) => hand.steps)),
    '',
    line(
      'Reeve, to the first uncached page',
      panel((run) => run.pageMs),
    ),
    line(
      'Reeve, to the end of the task',
      panel((run) => run.taskMs),
    ),
    stepTable(pairs.map(({ panel: run }) => run.steps)),
    '',
    line(
      'Reeve, deleting',
      panel((run) => run.deleteMs),
    ),
    '',
    `ratio of the medians ${resultOf(pairs).ratio.toFixed(3)}, of the pairs ${spread(ratios, 3)}; at most ${limits.ratio}`,
    `ratio if copying the core took no time: ${spread(withoutCopy, 3)}`,
  ].join('\n')
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, pairs: { type: 'string', default: '7' } },
  })
  await using reeve = await startReeve()
  const pairs = await measurePairs(reeve, Number(values.pairs))
  console.log(report(pairs))
  const { ratio, deleteMs } = resultOf(pairs)
  const isMet = ratio <= limits.ratio && deleteMs <= limits.deleteMs
  console.log(isMet ? 'met' : 'not met')
  if (values.check && !isMet) process.exitCode = 1
}

if (import.meta.main) await main()
