// A service that dies comes back by itself, and with both panel processes gone the sites are still served.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { visit, watchSite } from '../src/visitor.ts'

let reeve: Reeve
let site: Site

beforeAll(async () => {
  reeve = await startReeve()
  site = await (await reeve.panel()).createSite({
    ...wordpressFields,
    domain: 'alive.example.com',
    object_cache: true,
  })
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
})

/** Pid of the service whose name begins so; PHP's holds its version. */
function servicePid(start: string): number {
  const directory = join(reeve.root, 'run/reeve/services')
  const record = readdirSync(directory).find((name) => name.startsWith(start) && name.endsWith('.pid'))
  return Number(readFileSync(join(directory, record ?? 'missing'), 'utf8').split(' ')[0])
}

const statusOf = (path: string) =>
  visit(site.domain, { port: reeve.httpsPort, path }).then(
    ({ status }) => status,
    () => 0,
  )

it.each(['nginx', 'php', 'mariadb', 'redis'])('%s comes back after kill -9', async (name) => {
  const before = servicePid(name)
  process.kill(before, 'SIGKILL')
  let visits = 0
  await expect.poll(() => statusOf(`/?${name}=${++visits}`), { timeout: 20_000, interval: 100 }).toBe(200)
  await expect.poll(() => servicePid(name), { timeout: 10_000 }).not.toBe(before)
  const after = servicePid(name)
  await new Promise((done) => setTimeout(done, 2000))
  expect(servicePid(name)).toBe(after) // it stays up
  await expect.poll(() => statusOf(`/?${name}=again`), { timeout: 20_000, interval: 100 }).toBe(200)
})

it('sites lose no request while agent and API are killed and started again', async () => {
  const visitor = watchSite(site.domain, reeve.httpsPort)
  await visitor.reach(5)
  const [agent, api] = [reeve.pid('agent'), reeve.pid('api')]
  process.kill(agent, 'SIGKILL')
  process.kill(api, 'SIGKILL')
  await expect.poll(() => reeve.pid('agent'), { timeout: 20_000 }).not.toBe(agent)
  await expect.poll(() => reeve.pid('api'), { timeout: 20_000 }).not.toBe(api)
  const panel = await reeve.panel()
  const capacity = () =>
    panel.call('GET', '/api/system/capacity').then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(capacity, { timeout: 20_000 }).toBe(200)
  const { requests, failures } = await visitor.stop()
  expect(failures).toEqual([])
  expect(requests).toBeGreaterThan(10)
})
