// The life of a site of every type, from the request to a clean slate.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Host, siteOrigin } from '../src/host.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { findTraces } from '../src/slate.ts'
import { plainRequest, visit } from '../src/visitor.ts'

export function siteLife(hostOf: () => Host): void {
  let host: Host
  let panel: Panel

  beforeAll(async () => {
    host = hostOf()
    panel = await host.panel()
  })

  describe('a WordPress site', () => {
    it('is served over HTTPS, cached on the second visit, and leaves nothing when deleted', async () => {
      const site = await panel.createSite({ ...wordpressFields, domain: 'blog.example.com', title: 'A blog' })
      const look = () => visit(site.domain, { ...host.https, headers: { 'accept-encoding': 'identity' } })
      const page = await look()
      expect(page.status).toBe(200)
      expect(page.text).toContain('A blog')
      expect(page.text).toContain('</html>')
      const second = await look()
      expect(second.headers['x-cache']).toBe('HIT')
      expect(second.body.equals(page.body)).toBe(true)
      expect((await visit(site.domain, { ...host.https, path: '/wp-login.php' })).status).toBe(200)

      const task = await panel.deleteSite(site.id)
      expect(task.state).toBe('succeeded')
      expect((await panel.call('GET', `/api/sites/${site.id}`)).status).toBe(404)
      expect(
        findTraces(host.root, { domain: site.domain, id: site.id, systemUser: site.system_user }),
      ).toEqual([])
      await expect(visit(site.domain, host.https)).rejects.toThrow()
    })

    it('sends port 80 to the HTTPS address and answers no unknown host', async () => {
      const site = await panel.createSite({ ...wordpressFields, domain: 'plain.example.com' })
      const redirect = await plainRequest(host.http, site.domain, '/x?y=1')
      expect(redirect).toMatchObject({
        status: 301,
        location: `${siteOrigin(host, site.domain)}/x?y=1`,
      })
      await expect(plainRequest(host.http, 'unknown.example.com', '/')).rejects.toThrow()
      await panel.deleteSite(site.id)
    })
  })

  describe('every type', () => {
    const types = [
      { type: 'php', expected: 'is ready' },
      { type: 'laravel', expected: 'is ready' },
      { type: 'static', expected: 'is ready' },
    ] as const

    it.each(types)('$type serves its placeholder and leaves nothing', async ({ type, expected }) => {
      const site = await panel.createSite({ domain: `${type}.example.com`, type, profile: 'balanced' })
      const page = await visit(site.domain, host.https)
      expect(page.status).toBe(200)
      expect(page.text).toContain(expected)
      await panel.deleteSite(site.id)
      expect(
        findTraces(host.root, { domain: site.domain, id: site.id, systemUser: site.system_user }),
      ).toEqual([])
    })

    it('proxy passes requests to its upstream', async () => {
      const upstream = `http://127.0.0.1:${host.port}`
      const site = await panel.createSite({
        domain: 'proxy.example.com',
        type: 'proxy',
        proxy_upstream: upstream,
      })
      const page = await visit(site.domain, { ...host.https, path: '/healthz' })
      // The panel answers only to its own names: 421 is its word, not nginx's.
      expect(page.status).toBe(421)
      await panel.deleteSite(site.id)
      expect(
        findTraces(host.root, { domain: site.domain, id: site.id, systemUser: site.system_user }),
      ).toEqual([])
    })

    it('refuses a PHP version that is not installed and names those that are', async () => {
      const listed = () => panel.call('GET', '/api/sites')
      const before = await listed()
      const answer = await panel.call('POST', '/api/sites', {
        domain: 'old.example.com',
        type: 'php',
        php_version: '5.6',
      })
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({ code: 'refused', available: [expect.stringMatching(/^\d\.\d$/)] })
      expect((await listed()).body).toEqual(before.body)
    })
  })
}
