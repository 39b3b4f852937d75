// Applying and removing again: what is there stays, what is gone stays gone.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AgentEvent } from '@reeve/contract/operation.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { sql } from '../src/slate.ts'

let reeve: Reeve
let panel: Panel

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
})

/** Asks the agent directly, as the API would. */
function callAgent(operation: string, input: unknown): Promise<AgentEvent> {
  const { promise, resolve, reject } = Promise.withResolvers<AgentEvent>()
  const socketPath = join(reeve.root, 'run/reeve/agent.sock')
  const call = request({ socketPath, method: 'POST', path: `/${operation}`, agent: false }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.on('end', () => resolve(JSON.parse(text.trim().split('\n').at(-1) ?? '{}')))
  })
  call.on('error', reject)
  call.end(JSON.stringify(input))
  return promise
}

/** Path, mode, owner and content of everything that was rendered, and the tables' checksums. */
function fingerprint(): string {
  const hash = createHash('sha256')
  const walk = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) walk(path)
      if (!entry.isFile() || entry.name === 'reeve-generation.conf') continue
      const { mode, uid, gid } = statSync(path)
      hash.update(`${path} ${mode} ${uid} ${gid} `).update(readFileSync(path))
    }
  }
  for (const part of ['etc', 'srv/sites']) walk(join(reeve.root, part))
  const [database = ''] = sql(reeve.root, "SHOW DATABASES LIKE 'site\\_%'")
  const tables = sql(reeve.root, `SHOW TABLES FROM ${database}`)
  // WordPress writes transients and cron times at every visit; everything else must stay.
  const stable = tables.filter((table) => table !== 'wp_options').map((table) => `${database}.${table}`)
  hash.update(sql(reeve.root, `CHECKSUM TABLE ${stable.join(', ')}`).join('\n'))
  return hash.digest('hex')
}

it('changes nothing when a site is applied three more times', async () => {
  const site = await panel.createSite({ ...wordpressFields, domain: 'again.example.com', object_cache: true })
  const before = fingerprint()
  const spec = {
    id: site.id,
    domain: site.domain,
    aliases: site.aliases,
    type: site.type,
    profile: site.profile,
    title: site.title,
    admin_email: site.admin_email,
    admin_user: site.admin_user,
    object_cache: site.object_cache,
    php_version: site.php_version,
    php_workers: null,
    proxy_upstream: site.proxy_upstream,
    cache: site.cache,
  }
  for (let time = 0; time < 3; time++) {
    const end = await callAgent('site.apply', { site: spec, admin_password_hash: null })
    expect(end).toMatchObject({ type: 'result' })
  }
  expect(fingerprint()).toBe(before)
  await panel.deleteSite(site.id)
  expect(await callAgent('site.remove', { id: site.id })).toEqual({
    type: 'result',
    result: { removed: false },
  })
})
