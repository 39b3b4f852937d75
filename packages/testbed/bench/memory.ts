// What the two processes of the panel cost in memory: the proportional set size (proc(5), smaps_rollup), which
// counts a page that both map once. At rest, and again after requests of every kind the UI makes.
//   node packages/testbed/bench/memory.ts [--check] [--requests 20000] [--rest 20]
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { pathsBelow } from '../../agent/src/paths.ts'
import { installedPhpVersions } from '../../agent/src/php/versions.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'

export const limits = { restMb: 90, loadedMb: 100 }
const clients = 16
const listeners = 4
const giveUpMs = 120_000

export interface Memory {
  api: ProcessMemory
  agent: ProcessMemory
  totalMb: number
}

export interface ProcessMemory {
  pssMb: number
  /** The part that no file backs: heap and stacks. */
  anonymousMb: number
}

export interface MemoryRun {
  rest: Memory
  loaded: Memory
}

export interface MemoryOptions {
  requests: number
  restSeconds: number
}

/** Needs a fresh Reeve: what was asked of it before would be counted. */
export async function measureMemory(reeve: Reeve, options: MemoryOptions): Promise<MemoryRun> {
  await isPrepared(reeve)
  await delay(options.restSeconds * 1000)
  const rest = memoryOf(reeve)
  const { cookie } = await reeve.panel()
  const streams = Array.from({ length: listeners }, () => listen(reeve.port, cookie))
  await load(reeve.port, cookie, options.requests)
  const loaded = memoryOf(reeve)
  for (const stream of streams) stream.destroy()
  return { rest, loaded }
}

/** Making the database template and compiling the core is work of the first start, not rest. */
async function isPrepared(reeve: Reeve): Promise<void> {
  const paths = pathsBelow(reeve.root)
  const caches = installedPhpVersions().map((version) => paths.opcacheFiles(version))
  const isSeeded = () =>
    caches.every((path) => existsSync(path) && readdirSync(path).some((name) => name.startsWith('.seeded-')))
  for (const end = performance.now() + giveUpMs; !isSeeded(); await delay(100)) {
    if (performance.now() > end) throw new Error(`WordPress was not prepared:\n${reeve.output()}`)
  }
}

function memoryOf(reeve: Reeve): Memory {
  const api = processMemory(reeve.pid('api'))
  const agent = processMemory(reeve.pid('agent'))
  return { api, agent, totalMb: api.pssMb + agent.pssMb }
}

export function processMemory(pid: number): ProcessMemory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (field: string) => {
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]
    if (kilobytes === undefined) throw new Error(`smaps_rollup of ${pid} has no ${field}.`)
    return Number(kilobytes) / 1024
  }
  return { pssMb: megabytes('Pss'), anonymousMb: megabytes('Anonymous') }
}

/** Three of four requests ask who is signed in, the others load a file of the UI; a bounded number at once. */
async function load(port: number, cookie: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const [script = '/'] = await scriptsOf(port, agent)
  let next = 0
  const client = async () => {
    for (let at = next++; at < count; at = next++) {
      const path = at % 4 === 3 ? script : '/api/me'
      const { status } = await get(port, path, agent, cookie)
      if (status !== 200) throw new Error(`${path} answered ${status}.`)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
}

async function scriptsOf(port: number, agent: Agent): Promise<string[]> {
  const { text } = await get(port, '/', agent)
  return [...text.matchAll(/src="(\/assets\/[^"]+\.js)"/g)].flatMap(([, path]) => path ?? [])
}

function get(
  port: number,
  path: string,
  agent: Agent,
  cookie?: string,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const headers = { ...(cookie ? { cookie } : {}), 'accept-encoding': 'br, gzip' }
  const call = request({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
    )
  })
  call.on('error', reject)
  call.end()
  return promise
}

/** An open event stream, read and forgotten. */
function listen(port: number, cookie: string) {
  const call = request({ host: '127.0.0.1', port, path: '/api/events', headers: { cookie } })
  call.on('response', (response) => response.resume().on('error', () => {}))
  call.on('error', () => {}) // destroyed at the end
  call.end()
  return call
}

function line(name: string, { api, agent, totalMb }: Memory): string {
  const of = ({ pssMb, anonymousMb }: ProcessMemory) =>
    `${pssMb.toFixed(1)} (${anonymousMb.toFixed(1)} anonymous)`
  return `${name.padEnd(24)} api ${of(api)}, agent ${of(agent)}, together ${totalMb.toFixed(1)}`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      requests: { type: 'string', default: '20000' },
      rest: { type: 'string', default: '20' },
    },
  })
  await using reeve = await startReeve()
  const requests = Number(values.requests)
  const { rest, loaded } = await measureMemory(reeve, { requests, restSeconds: Number(values.rest) })
  console.log('MB of proportional set size')
  console.log(`${line('at rest', rest)}; at most ${limits.restMb}`)
  console.log(`${line(`after ${requests} requests`, loaded)}; at most ${limits.loadedMb}`)
  const isMet = rest.totalMb <= limits.restMb && loaded.totalMb <= limits.loadedMb
  console.log(isMet ? 'met' : 'not met')
  if (values.check && !isMet) process.exitCode = 1
}

if (import.meta.main) await main()
