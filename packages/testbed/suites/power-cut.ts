// The short form of campaigns/power-cut.ts: the moments at which a missing fsync would show. And what a cut between
// two files of the system's accounts leaves, which no campaign hits often enough.
import type { Task } from '@reeve/contract/tasks.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import type { InstalledHost } from '../src/installed.ts'
import type { Panel } from '../src/panel.ts'
import { openPowerCuts, type PowerCut, type PowerCuts } from '../src/power-cut.ts'
import { findTraces } from '../src/slate.ts'

const chosen: readonly PowerCut[] = [
  { operation: 'create', type: 'wordpress', moment: 0.4 },
  { operation: 'create', type: 'wordpress', moment: 'acknowledged' },
  { operation: 'delete', type: 'wordpress', moment: 0.3 },
  { operation: 'create', type: 'php', moment: 'acknowledged' },
]

export function powerCut(hostOf: () => InstalledHost): void {
  describe('a power cut', () => {
    let cuts: PowerCuts

    beforeAll(async () => {
      cuts = await openPowerCuts(hostOf())
    }, 120_000)

    it.each(chosen)('loses nothing: $operation $type at $moment', async (cut) => {
      const { before, after, problems } = await cuts.attempt(cut)
      expect(problems).toEqual([])
      if (cut.moment === 'acknowledged') expect({ before, after }).toEqual({ before: 'done', after: 'there' })
    })
  })

  describe('an account that a power cut left half-made', () => {
    let host: InstalledHost
    let panel: Panel

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
    })

    const forget = (user: string | null, ...files: string[]) =>
      host.server.run(`sed --in-place '/^${user}:/d' ${files.map((file) => `/etc/${file}`).join(' ')}`)

    it('is made whole by the next change of its site', async () => {
      const site = await panel.createSite({ domain: 'account.example.com', type: 'php' })
      const before = await host.server.run(`id ${site.system_user}`)
      await forget(site.system_user, 'shadow', 'group', 'gshadow')
      const change = await panel.call<{ task: Task }>('PUT', `/api/sites/${site.id}/config`, {
        cache: { ttl_s: 120 },
      })
      expect(change).toMatchObject({ status: 202 })
      expect((await panel.taskEnd(change.body.task.id)).error).toBeNull()
      expect(await host.server.run(`id ${site.system_user}`)).toBe(before)
      await panel.deleteSite(site.id)
    })

    it('goes with its site from every file', async () => {
      const site = await panel.createSite({ domain: 'account.example.com', type: 'php' })
      await forget(site.system_user, 'passwd')
      expect((await panel.deleteSite(site.id)).error).toBeNull()
      const { domain, id, system_user: systemUser } = site
      expect(findTraces(host.root, { domain, id, systemUser })).toEqual([])
    })
  })
}
