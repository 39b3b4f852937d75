// What only a real server can refuse: nginx asked about ports, logs and users of its own, before and after an edit.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DriftItem } from '@reeve/contract/drift.ts'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../src/host.ts'
import type { Panel } from '../src/panel.ts'
import { findTraces } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

export function ownConfiguration(hostOf: () => Host): void {
  describe('the configuration of a site', () => {
    let host: Host
    let panel: Panel
    let site: Site

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
      site = await panel.createSite({ domain: 'configured.example.com', type: 'static' })
    }, 60_000)

    afterAll(async () => {
      await panel.deleteSite(site.id)
      const { domain, id, system_user: systemUser } = site
      expect(findTraces(host.root, { domain, id, systemUser })).toEqual([])
    }, 60_000)

    const put = (body: Record<string, unknown>) =>
      panel.call<{ task: Task; line: number }>('PUT', `/api/sites/${site.id}/config`, body)
    const vhost = () => join(host.root, `etc/nginx/sites-enabled/${site.domain}.conf`)
    const items = async () => {
      const { body } = await panel.call<{ items: DriftItem[] }>('GET', '/api/system/drift')
      return body.items.filter(({ path }) => vhost().endsWith(path) || path === vhost())
    }
    const resolve = (id: string, action: string) =>
      panel.call('POST', `/api/system/drift/${id}/resolve`, { action })
    const headers = async () => (await visit(site.domain, host.https)).headers

    it('is refused with the line that nginx names, and otherwise served', async () => {
      const refused = await put({ nginx_snippet: 'etag off;\nexpires sometimes;' })
      expect([refused.status, refused.body.line], JSON.stringify(refused.body)).toEqual([422, 2])
      const accepted = await put({ hsts: true, basic_auth: { user: 'editor', password: 'a good password' } })
      expect(accepted.status, JSON.stringify(accepted.body)).toBe(202)
      const task = await panel.taskEnd(accepted.body.task.id)
      expect(task.state, task.log).toBe('succeeded')
      expect((await headers())['strict-transport-security']).toBe('max-age=31536000')
      expect((await visit(site.domain, host.https)).status).toBe(401)
    })

    it('keeps an edit by hand until somebody decides', async () => {
      expect(await items()).toEqual([])
      const text = readFileSync(vhost(), 'utf8')
      writeFileSync(
        vhost(),
        text.replace(/^ {2}add_header X-Cache /m, '  add_header X-By-Hand yes always;\n$&'),
      )
      const [edited] = await items()
      expect(edited?.kind).toBe('edited')
      expect((await resolve(edited?.id ?? '', 'accept')).status).toBe(200)
      expect((await headers())['x-by-hand']).toBe('yes')
      appendFileSync(vhost(), 'no_such_directive on;\n')
      const [broken] = await items()
      expect((await resolve(broken?.id ?? '', 'accept')).status).toBe(422)
      expect((await resolve(broken?.id ?? '', 'restore')).status).toBe(200)
      expect(readFileSync(vhost(), 'utf8')).toBe(text)
      expect((await headers())['x-by-hand']).toBeUndefined()
    })
  })
}
