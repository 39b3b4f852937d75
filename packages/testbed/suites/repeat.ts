// Applying and removing again: what is there stays, what is gone stays gone.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { AgentEvent } from '@reeve/contract/operation.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { beforeAll, expect, it } from 'vitest'
import type { Host } from '../src/host.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { sql } from '../src/slate.ts'

export function repeat(hostOf: () => Host): void {
  let host: Host
  let panel: Panel

  beforeAll(async () => {
    host = hostOf()
    panel = await host.panel()
  })

  it('changes nothing when a site is applied three more times', async () => {
    const site = await panel.createSite({
      ...wordpressFields,
      domain: 'again.example.com',
      object_cache: true,
    })
    const before = fingerprint(host.root, site)
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
      const end = await callAgent(host.root, 'site.apply', { site: spec, admin_password_hash: null })
      expect(end).toMatchObject({ type: 'result' })
    }
    expect(fingerprint(host.root, site)).toBe(before)
    await panel.deleteSite(site.id)
    expect(await callAgent(host.root, 'site.remove', { id: site.id })).toEqual({
      type: 'result',
      result: { removed: false },
    })
  })
}

/** Asks the agent directly, as the API would. */
function callAgent(root: string, operation: string, input: unknown): Promise<AgentEvent> {
  const { promise, resolve, reject } = Promise.withResolvers<AgentEvent>()
  const socketPath = join(root, 'run/reeve/agent.sock')
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
function fingerprint(root: string, { domain, system_user: user }: Site): string {
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
  for (const part of ['etc', `srv/sites/${domain}`]) walk(join(root, part))
  const database = user?.replace('-', '_') ?? ''
  const tables = sql(root, `SHOW TABLES FROM ${database}`)
  // WordPress writes transients and cron times at every visit; everything else must stay.
  const stable = tables.filter((table) => table !== 'wp_options').map((table) => `${database}.${table}`)
  hash.update(sql(root, `CHECKSUM TABLE ${stable.join(', ')}`).join('\n'))
  return hash.digest('hex')
}
