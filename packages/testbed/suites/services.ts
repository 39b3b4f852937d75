// A process that dies comes back by itself, and with both panel processes gone the sites are still served.
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Host, services } from '../src/host.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { visit, watchSite } from '../src/visitor.ts'

export function comingBack(hostOf: () => Host): void {
  describe('what is killed', () => {
    let host: Host
    let panel: Panel
    let site: Site

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
      site = await panel.createSite({
        ...wordpressFields,
        domain: 'alive.example.com',
        object_cache: true,
      })
    }, 60_000)

    afterAll(async () => {
      await panel.deleteSite(site.id)
    })

    const statusOf = (path: string) =>
      visit(site.domain, { ...host.https, path }).then(
        ({ status }) => status,
        () => 0,
      )

    it.each(services)('%s comes back after kill -9', async (service) => {
      const before = host.servicePid(service)
      process.kill(before, 'SIGKILL')
      const isAnother = () => {
        const pid = host.servicePid(service)
        return pid > 0 && pid !== before
      }
      await expect.poll(isAnother, { timeout: 30_000 }).toBe(true)
      const after = host.servicePid(service)
      let visits = 0
      await expect
        .poll(() => statusOf(`/?${service}=${++visits}`), { timeout: 30_000, interval: 100 })
        .toBe(200)
      // A service that dies again and again would have another number by the time ten pages were rendered.
      for (let page = 0; page < 10; page++)
        await expect.poll(() => statusOf(`/?${service}=again${++visits}`), { timeout: 30_000 }).toBe(200)
      expect(host.servicePid(service)).toBe(after)
    })

    it('costs sites no request when it is the panel, which comes back', async () => {
      const visitor = watchSite(site.domain, host.https)
      await visitor.reach(5)
      const [agent, api] = [host.pid('agent'), host.pid('api')]
      process.kill(agent, 'SIGKILL')
      process.kill(api, 'SIGKILL')
      await expect.poll(() => host.pid('agent'), { timeout: 20_000 }).not.toBe(agent)
      await expect.poll(() => host.pid('api'), { timeout: 20_000 }).not.toBe(api)
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
  })
}
