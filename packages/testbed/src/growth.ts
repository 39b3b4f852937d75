// What one more site costs when there are many already: its creation, the reloads, the memory, the list.
import { readdirSync, readFileSync } from 'node:fs'
import { createTimed, isPrepared } from '../bench/create-site.ts'
import { median } from '../bench/median.ts'
import { processMemory } from '../bench/memory.ts'
import { processesOf, type Reeve, startReeve } from './reeve.ts'
import { visit } from './visitor.ts'

/** The last creation takes at most this many times the first. */
export const growthLimit = 1.5

/**
 * From the request to the first uncached page; medians. The others are created in turns with the last ones, on fresh
 * panels: the machine itself is not as fast at the end of many creations as it was at the start.
 */
export interface CreationTimes {
  /** The first site of a panel, which finds everything cold. */
  firstMs: number
  /** The second one. */
  secondMs: number
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
  /** How many fresh panels the last creations are held against, two creations each. */
  rounds: number
  tell?: (line: string) => void
}

export async function createMany(reeve: Reeve, options: GrowthOptions): Promise<CreationTimes> {
  await isPrepared(reeve)
  await fill(reeve, options)
  return compare(reeve, options)
}

export async function grow(reeve: Reeve, options: GrowthOptions): Promise<Growth> {
  await isPrepared(reeve)
  await creation(reeve, 'first.example.com')
  const listFirst = await listTime(reeve)
  const memoryBefore = await idleMemory(reeve)
  await fill(reeve, options)
  const times = await compare(reeve, options)
  return {
    ...times,
    nginxReloadMs: await reloadTime(reeve),
    idleMbPerSite: ((await idleMemory(reeve)) - memoryBefore) / options.sites,
    listMs: { first: listFirst, last: await listTime(reeve) },
  }
}

async function creation(reeve: Reeve, domain: string): Promise<number> {
  return (await createTimed(await reeve.panel(), reeve.httpsPort, domain)).pageMs
}

/** All but those that are compared. */
async function fill(reeve: Reeve, { sites, rounds, tell }: GrowthOptions): Promise<void> {
  const times: number[] = []
  for (let at = 1; at <= sites - 2 * rounds; at++) {
    times.push(await creation(reeve, `growing-${at}.example.com`))
    if (at % 20 === 0) tell?.(`${at} sites, the last 20: ${median(times.slice(-20)).toFixed(0)} ms`)
  }
}

async function compare(reeve: Reeve, { sites, rounds, tell }: GrowthOptions): Promise<CreationTimes> {
  const first: number[] = []
  const second: number[] = []
  const last: number[] = []
  for (let at = sites - 2 * rounds + 1; at < sites; at += 2) {
    await using fresh = await startReeve()
    await isPrepared(fresh)
    first.push(await creation(fresh, 'first.example.net'))
    last.push(await creation(reeve, `growing-${at}.example.com`))
    second.push(await creation(fresh, 'second.example.net'))
    last.push(await creation(reeve, `growing-${at + 1}.example.com`))
    const [a, b, c, d] = [first.at(-1), second.at(-1), last.at(-2), last.at(-1)].map((ms) => ms?.toFixed(0))
    tell?.(`first ${a} ms, second ${b} ms, number ${at} ${c} ms, number ${at + 1} ${d} ms`)
  }
  return { firstMs: median(first), secondMs: median(second), lastMs: median(last) }
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
