// What one more site costs when there are many already: its creation, the reloads, the memory, the list.
import { readdirSync, readFileSync } from 'node:fs'
import { createTimed, isPrepared } from '../bench/create-site.ts'
import { median } from '../bench/median.ts'
import { processMemory } from '../bench/memory.ts'
import type { Reeve } from './reeve.ts'
import { processesOf } from './reeve.ts'
import { visit } from './visitor.ts'

/** The last creation takes at most this many times the first. */
export const growthLimit = 1.5

/** From the request to the first uncached page. */
export interface CreationTimes {
  /** The very first one on this panel, which finds everything cold. */
  coldMs: number
  /** Medians over the next few and the last few. */
  firstMs: number
  lastMs: number
}

export interface Growth extends CreationTimes {
  /** SIGHUP until new workers answer, with all sites there. */
  nginxReloadMs: number
  /** Proportional set size of everything that runs, per site added. */
  idleMbPerSite: number
  /** GET /api/sites with all of them. */
  listMs: { first: number; last: number }
}

export interface GrowthOptions {
  sites: number
  /** How many creations a median is taken over. */
  window: number
  tell?: (line: string) => void
}

export async function createMany(reeve: Reeve, options: GrowthOptions): Promise<CreationTimes> {
  await isPrepared(reeve)
  const coldMs = await coldCreation(reeve)
  return { coldMs, ...(await warmCreations(reeve, options)) }
}

export async function grow(reeve: Reeve, options: GrowthOptions): Promise<Growth> {
  await isPrepared(reeve)
  const coldMs = await coldCreation(reeve)
  const listFirst = await listTime(reeve)
  const memoryBefore = await idleMemory(reeve)
  const times = await warmCreations(reeve, options)
  return {
    coldMs,
    ...times,
    nginxReloadMs: await reloadTime(reeve),
    idleMbPerSite: ((await idleMemory(reeve)) - memoryBefore) / options.sites,
    listMs: { first: listFirst, last: await listTime(reeve) },
  }
}

async function coldCreation(reeve: Reeve): Promise<number> {
  return (await createTimed(await reeve.panel(), reeve.httpsPort, 'cold.example.com')).pageMs
}

async function warmCreations(reeve: Reeve, { sites, window, tell }: GrowthOptions) {
  const panel = await reeve.panel()
  const times: number[] = []
  for (let at = 1; at <= sites; at++) {
    const { pageMs } = await createTimed(panel, reeve.httpsPort, `growing-${at}.example.com`)
    times.push(pageMs)
    if (at % 20 === 0)
      tell?.(`${at} sites, the last ${window}: ${median(times.slice(-window)).toFixed(0)} ms`)
  }
  return { firstMs: median(times.slice(0, window)), lastMs: median(times.slice(-window)) }
}

async function listTime(reeve: Reeve): Promise<number> {
  const panel = await reeve.panel()
  const times: number[] = []
  for (let round = 0; round < 11; round++) {
    const from = performance.now()
    await panel.call('GET', '/api/sites')
    times.push(performance.now() - from)
  }
  return median(times)
}

/** Waits until no pool has a worker left: an idle site is what is counted. */
async function idleMemory(reeve: Reeve): Promise<number> {
  const deadline = performance.now() + 120_000
  while (workersOfSites(reeve).length > 0) {
    if (performance.now() > deadline) throw new Error('PHP workers of sites do not end.')
    await new Promise((done) => setTimeout(done, 500))
  }
  return pidsBelow(reeve).reduce((sum, pid) => sum + memoryOf(pid), 0)
}

/** The host process and everything it started; PHP-FPM and nginx workers name no root in their titles. */
function pidsBelow(reeve: Reeve): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const parent = parentOf(name)
    if (parent !== undefined) parents.set(name, parent)
  }
  const found = new Set(processesOf(reeve.root).map(({ pid }) => pid))
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return [...found]
}

function workersOfSites(reeve: Reeve): number[] {
  return pidsBelow(reeve).filter((pid) => readText(`/proc/${pid}/cmdline`).startsWith('php-fpm: pool site-'))
}

const parentOf = (pid: number): number | undefined => {
  const found = /^PPid:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1]
  return found === undefined ? undefined : Number(found)
}

function memoryOf(pid: number): number {
  try {
    return processMemory(pid).pssMb
  } catch {
    return 0 // it ended in the meantime
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** From the signal until a worker of the new configuration answers and the old ones have stopped listening. */
async function reloadTime(reeve: Reeve): Promise<number> {
  const master = reeve.servicePid('nginx')
  const workers = () =>
    pidsBelow(reeve).filter(
      (pid) => parentOf(pid) === master && readText(`/proc/${pid}/cmdline`).includes('worker process'),
    )
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const before = new Set(workers())
    const from = performance.now()
    process.kill(master, 'SIGHUP')
    while (!workers().some((pid) => !before.has(pid))) await new Promise((done) => setTimeout(done, 2))
    await visit('growing-1.example.com', { port: reeve.httpsPort })
    times.push(performance.now() - from)
  }
  return median(times)
}
