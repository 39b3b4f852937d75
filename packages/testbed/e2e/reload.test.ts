import { readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askByHttp2, openHttp2 } from '../src/http2-visitor.ts'
import { type Panel } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { tenantOf, writeAs } from '../src/isolation/tenant.ts'
import { visit } from '../src/visitor.ts'

const reloads = 20
const domain = 'bystander.example.com'
let reeve: Reeve
let panel: Panel

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  const tenant = tenantOf(reeve, await panel.createSite({ domain, type: 'php' }))
  // Long enough to be under way when a reload comes, short enough for thousands of them.
  writeAs(tenant, join(tenant.code.dir, 'slow.php'), '<?php usleep(20000); echo "slow";')
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
}, 60_000)

interface Tally {
  requests: number
  failures: string[]
  /** Requests on a connection that had been idle and was closed as the request came: HTTP/1.1 lets clients repeat them. */
  idleResets: number
  /** HTTP/2 requests that the server said it had not looked at: a client sends them again by itself. */
  sentAgain: number
}

type Client = (tally: Tally, isStopped: () => boolean) => Promise<void>

/** Alternately a cached page and one that PHP renders, so that nginx and PHP-FPM are both watched. */
let visits = 0
const nextPath = () => (++visits % 2 === 0 ? '/' : `/slow.php?visit=${visits}`)

const closing: Client = async (tally, isStopped) => {
  while (!isStopped()) {
    tally.requests++
    const path = nextPath()
    try {
      const { status } = await visit(domain, { port: reeve.httpsPort, path })
      if (status !== 200) tally.failures.push(`${path}: ${status}`)
    } catch (error) {
      tally.failures.push(`${path}: ${String(error)}`)
    }
  }
}

const http2: Client = async (tally, isStopped) => {
  const open = () => openHttp2(domain, reeve.https)
  let session = await open()
  while (!isStopped()) {
    // After a GOAWAY the session takes no new request; those it has are answered (RFC 9113, 6.8).
    if (session.closed || session.destroyed) session = await open()
    tally.requests++
    const path = nextPath()
    const { outcome, wasProcessed } = await askByHttp2(session, `${domain}:${reeve.httpsPort}`, path)
    if (wasProcessed && outcome !== '200') tally.failures.push(`${path}: ${outcome}`)
    // The server said that it has not seen this one, so that it can be sent again without harm.
    if (!wasProcessed) {
      tally.sentAgain++
      session.close()
    }
  }
  session.close()
}

/** Keeps one connection and lets it idle between two requests; a reset there is counted apart. */
const keepAlive: Client = async (tally, isStopped) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!isStopped()) {
    tally.requests++
    const path = nextPath()
    const { outcome, isReused } = await askKeepAlive(agent, path)
    if (outcome !== '200' && isReused && /ECONNRESET|EPIPE|socket hang up/.test(outcome)) tally.idleResets++
    else if (outcome !== '200') tally.failures.push(`${path}: ${outcome}`)
    await new Promise((done) => setTimeout(done, 20))
  }
  agent.destroy()
}

function askKeepAlive(agent: Agent, path: string): Promise<{ outcome: string; isReused: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ outcome: string; isReused: boolean }>()
  const call = request({
    host: '127.0.0.1',
    port: reeve.httpsPort,
    servername: domain,
    path,
    headers: { host: `${domain}:${reeve.httpsPort}` },
    rejectUnauthorized: false,
    agent,
    timeout: 20_000,
  })
  call.on('response', (response) => {
    response.on('error', (error) => resolve({ outcome: `cut off: ${error.message}`, isReused: false }))
    response.on('end', () => resolve({ outcome: String(response.statusCode), isReused: call.reusedSocket }))
    response.resume()
  })
  call.on('timeout', () => call.destroy(new Error('timed out')))
  call.on('error', (error: NodeJS.ErrnoException) =>
    resolve({ outcome: `${error.code} ${error.message}`, isReused: call.reusedSocket }),
  )
  call.end()
  return promise
}

/** Number of the configuration that nginx serves: one more with each reload that took. */
async function generation(): Promise<number> {
  const answer = Promise.withResolvers<number>()
  httpRequest({ socketPath: join(reeve.root, 'run/nginx/status.sock'), agent: false }, (response) => {
    response.on('data', (chunk: Buffer) => answer.resolve(Number(chunk.toString())))
  }).end()
  return answer.promise
}

/** The master says this line at its start and after each reload. */
function fpmReloads(): number {
  const [log = ''] = readdirSync(join(reeve.root, 'var/log')).filter((name) =>
    /^php[\d.]+-fpm\.log$/.test(name),
  )
  return (
    readFileSync(join(reeve.root, 'var/log', log), 'utf8').split('ready to handle connections').length - 1
  )
}

/** Runs all clients while `work` runs. */
async function underLoad(work: () => Promise<void>): Promise<Record<string, Tally>> {
  const clients = { closing, http2, keepAlive }
  let stopped = false
  const tallies: Record<string, Tally> = {}
  const running = Object.entries(clients).flatMap(([name, client]) => {
    const tally: Tally = { requests: 0, failures: [], idleResets: 0, sentAgain: 0 }
    tallies[name] = tally
    return Array.from({ length: 4 }, () => client(tally, () => stopped))
  })
  try {
    await work()
  } finally {
    stopped = true
    await Promise.all(running)
  }
  return tallies
}

function expectNoLoss(tallies: Record<string, Tally>): void {
  const figures = Object.entries(tallies).map(
    ([name, { requests, failures, idleResets, sentAgain }]) =>
      `${name}: ${requests} requests, ${failures.length} lost, ${idleResets} resets of idle connections, ${sentAgain} sent again`,
  )
  console.log(figures.join('\n'))
  for (const [name, { requests, failures }] of Object.entries(tallies)) {
    expect(failures, name).toEqual([])
    expect(requests, name).toBeGreaterThan(reloads)
  }
}

let made = 0

async function createAndDelete(type: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    // A name of its own, also when a test is run again.
    const site: Site = await panel.createSite({ domain: `${type}${++made}.example.com`, type })
    expect((await panel.deleteSite(site.id)).state).toBe('succeeded')
  }
}

describe('a bystander loses no request', () => {
  it('while nginx is reloaded 20 times', { timeout: 120_000 }, async () => {
    const before = await generation()
    expectNoLoss(await underLoad(() => createAndDelete('static', reloads / 2)))
    expect((await generation()) - before).toBeGreaterThanOrEqual(reloads)
  })

  it('while PHP-FPM and nginx are reloaded 20 times', { timeout: 150_000 }, async () => {
    const before = fpmReloads()
    expectNoLoss(await underLoad(() => createAndDelete('php', reloads / 2)))
    expect(fpmReloads() - before).toBeGreaterThanOrEqual(reloads)
  })
})
