import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CronJobSpec } from '@reeve/contract/cron.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pidsOfUser, waitUntil } from '../processes.ts'
import type { RegisteredSite } from '../registry.ts'
import { siteUserOf } from '../sites/user.ts'
import { type Cron, createCron } from './cron.ts'
import { type CronStore, openCronStore } from './store.ts'
import { makeTestServer, type TestServer } from './testing.ts'

let server: TestServer
let site: RegisteredSite
let store: CronStore
let cron: Cron
let clock: Date

const newCron = () => createCron({ ...server, store, httpsPort: 443, log: () => {}, now: () => clock })

beforeEach(() => {
  server = makeTestServer()
  site = server.addSite('a.example.com')
  store = openCronStore(server.paths.cronStore)
  clock = new Date('2026-11-21T10:00:30Z')
  cron = newCron()
})
afterEach(async () => {
  await cron[Symbol.asyncDispose]()
  store.close()
  server[Symbol.dispose]()
})

const job = (change: Partial<CronJobSpec> = {}): CronJobSpec => ({
  id: 'caaaaaaaaaaaaaaa',
  schedule: '*/5 * * * *',
  command: 'echo ran >> "$HOME/runs"',
  enabled: true,
  timeout_s: 60,
  ...change,
})
const at = async (time: string) => {
  clock = new Date(time)
  await cron.tick()
}
const lastRun = () => cron.stateOf(site)[0]?.last_run
const hasEnded = () => waitUntil(() => !['running', undefined].includes(lastRun()?.outcome), 20_000)
const home = () => siteUserOf(server.paths, site).home
const runs = () => {
  const path = join(home(), 'tmp/php/runs')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
}

describe('the clock', () => {
  it('starts a job at its minutes and at no other', async () => {
    await cron.apply(site, [job()])
    await at('2026-11-21T10:00:30Z')
    await at('2026-11-21T10:04:59Z')
    expect(lastRun()).toBeNull()
    await at('2026-11-21T10:05:00Z')
    expect(await hasEnded()).toBe(true)
    expect(lastRun()).toMatchObject({ outcome: 'succeeded', exit_code: 0 })
    await at('2026-11-21T10:05:30Z')
    await at('2026-11-21T10:06:00Z')
    expect(runs()).toBe(1)
  })

  it('makes up once for whatever came due while nobody looked', async () => {
    await cron.apply(site, [job()])
    await at('2026-11-21T10:00:30Z')
    await cron[Symbol.asyncDispose]()
    cron = newCron()
    await at('2026-11-24T12:00:30Z')
    expect(await hasEnded()).toBe(true)
    await at('2026-11-24T12:01:00Z')
    expect(runs()).toBe(1)
  })

  it('that is set back does not repeat what it started', async () => {
    await cron.apply(site, [job()])
    await at('2026-11-21T10:04:30Z')
    await at('2026-11-21T10:05:10Z')
    expect(await hasEnded()).toBe(true)
    await at('2026-11-21T09:59:00Z')
    await at('2026-11-21T10:05:05Z')
    expect(runs()).toBe(1)
    await at('2026-11-21T10:10:00Z')
    expect(await waitUntil(() => runs() === 2 && lastRun()?.outcome === 'succeeded', 20_000)).toBe(true)
    // Set to another year it is believed.
    await at('2020-01-01T00:04:00Z')
    await at('2020-01-01T00:05:00Z')
    expect(await waitUntil(() => runs() === 3, 20_000)).toBe(true)
  })

  it('starts nothing that is turned off', async () => {
    await cron.apply(site, [job({ enabled: false })])
    await at('2026-11-21T10:00:30Z')
    await at('2026-11-21T10:05:00Z')
    expect(cron.stateOf(site)).toMatchObject([{ last_run: null, next_runs: [] }])
  })
})

describe('a job', () => {
  it('is not started beside itself', async () => {
    await cron.apply(site, [job({ command: 'echo ran >> "$HOME/runs"; sleep 300' })])
    expect(cron.runNow(site, job().id)).toBe(true)
    expect(cron.runNow(site, job().id)).toBe(false)
    await at('2026-11-21T10:04:00Z')
    await at('2026-11-21T10:05:00Z')
    expect(await waitUntil(() => runs() === 1, 20_000)).toBe(true)
    expect(lastRun()).toMatchObject({ outcome: 'running', finished_at: null, exit_code: null })
  })

  it('shows its next three times', async () => {
    await cron.apply(site, [job()])
    expect(cron.stateOf(site)[0]?.next_runs).toEqual([
      '2026-11-21T10:05:00.000Z',
      '2026-11-21T10:10:00.000Z',
      '2026-11-21T10:15:00.000Z',
    ])
  })

  it('that is deleted is ended, and what it did is forgotten', async () => {
    const other = job({ id: 'cbbbbbbbbbbbbbbb', command: 'true' })
    await cron.apply(site, [job({ command: 'sleep 300' }), other])
    cron.runNow(site, job().id)
    const { uid } = siteUserOf(server.paths, site)
    expect(await waitUntil(() => pidsOfUser(uid).length > 0, 20_000)).toBe(true)
    await cron.apply(site, [other])
    expect(await waitUntil(() => pidsOfUser(uid).length === 0, 10_000)).toBe(true)
    expect(cron.stateOf(site).map(({ id }) => id)).toEqual([other.id])
    await cron.apply(site, [job(), other])
    expect(lastRun()).toBeNull()
  })

  it('goes with its site, and nothing of the site starts any more', async () => {
    await cron.apply(site, [job({ command: 'sleep 300' })])
    cron.runNow(site, job().id)
    server.registry.markBeingRemoved(site.spec.id)
    await cron.removeSite(site.spec.id)
    await at('2026-11-21T10:05:00Z')
    expect(store.listJobs()).toEqual([])
    const { uid } = siteUserOf(server.paths, site)
    expect(await waitUntil(() => pidsOfUser(uid).length === 0, 10_000)).toBe(true)
  })

  it('that ran when the agent was killed is interrupted', async () => {
    await cron.apply(site, [job()])
    store.beginRun(site.spec.id, job().id, clock)
    expect(lastRun()?.outcome).toBe('running')
    cron.start()
    expect(lastRun()).toMatchObject({ outcome: 'interrupted', finished_at: clock.toISOString() })
  })

  it('that is not there cannot be run', () => {
    expect(() => cron.runNow(site, 'cccccccccccccccc')).toThrow(
      'a.example.com has no cron job cccccccccccccccc.',
    )
  })
})
