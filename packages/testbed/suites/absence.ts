// A service that somebody stopped: what still works without it, what the panel says, and that nothing is damaged.
// systemd brings back what dies, not what was stopped, so the absence lasts.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { InstalledHost } from '../src/installed.ts'
import { callPatiently, type Panel, wordpressFields } from '../src/panel.ts'
import { findTraces, type Traces } from '../src/slate.ts'
import { contentOf, findDamage } from '../src/soundness.ts'
import { visit } from '../src/visitor.ts'

export function absence(hostOf: () => InstalledHost): void {
  describe('what is stopped', () => {
    let host: InstalledHost
    let panel: Panel
    let site: Site

    const status = (path: string) =>
      visit(site.domain, { ...host.https, path }).then(
        (page) => page.status,
        () => 0,
      )
    let fresh = 0
    const uncached = () => status(`/?fresh=${++fresh}`)

    /** Runs the check while the unit is stopped; afterwards everything is as it was. */
    const without = async (unit: string, check: () => Promise<void>) => {
      const before = contentOf(host.root, site)
      await host.server.run(`systemctl stop ${unit}`)
      try {
        await check()
      } finally {
        await host.server.run(`systemctl start ${unit}`)
      }
      await expect.poll(uncached, { timeout: 30_000 }).toBe(200)
      const capacity = () => panel.call('GET', '/api/system/capacity').catch(() => ({ status: 0 }))
      await expect.poll(async () => (await capacity()).status, { timeout: 30_000 }).toBe(200)
      await removeOthers(panel, site)
      expect(contentOf(host.root, site)).toEqual(before)
      expect(await findDamage(host, await sitesOf(panel))).toEqual([])
    }

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
      await removeOthers(panel)
      const fields = { ...wordpressFields, domain: 'steady.example.com', object_cache: true }
      site = await panel.createSite(fields)
      expect(await uncached()).toBe(200)
    }, 60_000)

    afterAll(async () => {
      await panel.deleteSite(site.id)
    })

    it('PHP-FPM: pages are missing, the panel works and starts it for the next site', async () => {
      const [version] = readdirSync(join(host.root, 'etc/php'))
      await without(`php${version}-fpm`, async () => {
        expect(await uncached()).toBe(502)
        expect(await create(panel, { ...wordpressFields, object_cache: true })).toBe('succeeded')
        expect(await uncached()).toBe(200)
      })
    })

    it('PHP-FPM: a site that goes after a kill leaves no socket', async () => {
      const [version] = readdirSync(join(host.root, 'etc/php'))
      const leaving = await panel.createSite({ domain: 'leaving.example.com', type: 'php' })
      await host.server.run(`systemctl kill --kill-whom=all --signal=KILL php${version}-fpm`)
      await without(`php${version}-fpm`, async () => {
        expect(await panel.deleteSite(leaving.id)).toMatchObject({ state: 'succeeded' })
        expect(findTraces(host.root, tracesOf(leaving))).toEqual([])
      })
    })

    it('MariaDB: a deletion that stops in the middle is finished later, and nothing else is done meanwhile', async () => {
      const fields = { ...wordpressFields, domain: 'leaving.example.com', object_cache: true }
      const leaving = await panel.createSite(fields)
      const unconcerned = await panel.createSite({ domain: 'static.example.com', type: 'static' })
      await without('mariadb', async () => {
        expect(await panel.deleteSite(unconcerned.id)).toMatchObject({ state: 'succeeded' })
        const task = await panel.deleteSite(leaving.id)
        expect(task.error).toContain('The database server (mariadb) does not answer. Start it and try again.')
        await host.server.run('systemctl restart reeve-agent')
        const change = await callPatiently(panel, 'PUT', `/api/sites/${leaving.id}/config`, { hsts: true })
        expect(change).toMatchObject({
          status: 409,
          body: { error: expect.stringContaining('Delete it again.') },
        })
      })
      expect(findTraces(host.root, tracesOf(leaving))).toEqual([])
    })

    it('MariaDB: a new site fails and the reason names it', async () => {
      await without('mariadb', async () => {
        expect(await uncached()).toBe(500)
        const said = await create(panel, wordpressFields)
        expect(said).toContain('The database server (mariadb) does not answer. Start it and try again.')
      })
    })

    it('Redis: sites go on without their object cache, and a new one that wants it says what is missing', async () => {
      await without('redis-server', async () => {
        expect(await uncached()).toBe(200)
        const said = await create(panel, { ...wordpressFields, object_cache: true })
        expect(said).toContain('The object-cache server (redis-server) does not answer.')
        const plain = await panel.createSite({
          domain: 'plain.example.com',
          type: 'php',
          object_cache: false,
        })
        expect(await panel.deleteSite(plain.id)).toMatchObject({ state: 'succeeded' })
      })
    })

    it('nginx: nobody is served, and the API behind it lives on', async () => {
      await without('nginx', async () => {
        await expect(visit(site.domain, host.https)).rejects.toThrow('ECONNREFUSED')
        await expect(panel.call('GET', '/api/sites')).rejects.toThrow('ECONNREFUSED')
        const health =
          'curl --silent --output /dev/null --write-out %{http_code} http://127.0.0.1:5252/healthz'
        expect(await host.server.run(health)).toBe('200')
      })
    })

    it('the agent: looking goes on, every change says that it is away', async () => {
      await without('reeve-agent', async () => {
        expect(await uncached()).toBe(200)
        expect((await panel.call('GET', '/api/sites')).status).toBe(200)
        const refused = { status: 502, body: { code: 'agent_unavailable' } }
        const fields = { domain: 'absent.example.com', type: 'static' }
        expect(await panel.call('POST', '/api/sites', fields)).toMatchObject(refused)
        expect(await panel.call('DELETE', `/api/sites/${site.id}`)).toMatchObject(refused)
      })
    })

    it('the API: sites are served, and its address says what to do', async () => {
      await without('reeve-api', async () => {
        expect(await uncached()).toBe(200)
        const answer = await panel.call('GET', '/api/sites')
        expect(answer.status).toBe(502)
        expect(answer.body['error']).toContain('systemctl status reeve-api says why')
      })
    })
  })
}

const tracesOf = ({ domain, id, system_user: systemUser }: Site): Traces => ({ domain, id, systemUser })

const sitesOf = async (panel: Panel) => (await panel.call<{ sites: Site[] }>('GET', '/api/sites')).body.sites

/** How the task ended: `succeeded`, or why not. */
async function create(panel: Panel, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const body = { ...fields, domain: 'absent.example.com' }
  const accepted = await panel.call<{ task: Task }>('POST', '/api/sites', body)
  expect(accepted.status).toBe(202)
  const { state, error } = await panel.taskEnd(accepted.body.task.id)
  return error ?? state
}

/** What failed while something was away can be deleted when it is back, like what was made. */
async function removeOthers(panel: Panel, kept?: Site): Promise<void> {
  for (const { id } of await sitesOf(panel)) {
    if (id === kept?.id) continue
    expect(await panel.deleteSite(id)).toMatchObject({ state: 'succeeded' })
  }
}
