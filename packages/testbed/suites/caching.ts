// Both caches of a WordPress site: what visitors get, what a change of content takes out, and what is saved.
import type { CacheStats } from '@reeve/contract/cache.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../src/host.ts'
import { type Tenant, tenantOf } from '../src/isolation/tenant.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { visit } from '../src/visitor.ts'
import { installCode, measurePage, runCode } from '../src/wordpress-code.ts'

export function caching(hostOf: () => Host): void {
  describe('the caches', () => {
    let host: Host
    let panel: Panel
    let blog: Tenant

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
      const fields = { ...wordpressFields, domain: 'cached.example.com', object_cache: true }
      blog = tenantOf(host, await panel.createSite(fields))
      installCode(blog)
    }, 120_000)

    afterAll(async () => {
      expect((await panel.deleteSite(blog.id)).error).toBeNull()
    }, 60_000)

    const see = (path: string) => visit(blog.domain, { ...host.https, path })
    const outcome = async (path: string) => (await see(path)).headers['x-cache']
    const store = (path: string) =>
      expect.poll(() => outcome(path), { timeout: 30_000, interval: 100 }).toBe('HIT')
    const purge = (target: unknown) => panel.call('POST', `/api/sites/${blog.id}/purge`, target)

    it('forget an address before its next visitor comes, and nothing else', async () => {
      for (const path of ['/', '/hello-world/']) await store(path)
      const answer = await purge({ urls: [`https://${blog.domain}/hello-world/`] })
      expect([answer.status, answer.body]).toEqual([200, { purged: 1 }])
      expect(await outcome('/hello-world/')).toBe('MISS')
      expect(await outcome('/')).toBe('HIT')
    })

    it('follow a change of content, which WordPress tells the panel about', async () => {
      for (const path of ['/hello-world/', '/sample-page/']) await store(path)
      await runCode(
        host,
        blog,
        `return wp_update_post( array( 'ID' => get_page_by_path( 'hello-world', OBJECT, 'post' )->ID, 'post_content' => 'Told anew.' ) );`,
      )
      await expect
        .poll(async () => (await see('/hello-world/')).text, { timeout: 30_000 })
        .toContain('Told anew.')
      expect(await outcome('/sample-page/')).toBe('HIT')
    })

    it('are warmed from the sitemap of the site', async () => {
      await purge({ all: true })
      const { body } = await panel.call<{ task: Task }>('POST', `/api/sites/${blog.id}/warm`)
      const task = await panel.taskEnd(body.task.id, 120_000)
      expect(task.state, task.log).toBe('succeeded')
      expect(task.log).toMatch(/\d+ visited, 0 of them failed\./)
    })

    it('leave a third of the queries or less, and are counted', async () => {
      await measurePage(host, blog, '/')
      await runCode(host, blog, 'return wp_cache_flush();')
      const first = await measurePage(host, blog, '/')
      const second = await measurePage(host, blog, '/')
      expect(first.queries).toBeGreaterThan(10)
      expect(second.queries * 3).toBeLessThanOrEqual(first.queries)
      const { body } = await panel.call<CacheStats>('GET', `/api/sites/${blog.id}/cache-stats`)
      expect(body.object_cache?.keys).toBeGreaterThan(0)
      expect(body.page_cache?.files).toBeGreaterThan(0)
    })
  })
}
