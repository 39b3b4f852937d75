// A certificate from an authority on another machine, which looks at port 80 from outside, as a public one does.
import { connect } from 'node:tls'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Server } from '../lab/server.ts'
import { type DistantAuthority, startDistantAuthority } from '../src/distant-authority.ts'
import type { InstalledHost } from '../src/installed.ts'
import type { Panel } from '../src/panel.ts'
import { findTraces } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

export function distantAuthority(hostOf: () => InstalledHost, boot: () => Promise<Server>): void {
  describe('an authority on another machine', () => {
    let machine: Server
    let authority: DistantAuthority
    let host: InstalledHost
    let panel: Panel
    let site: Site

    beforeAll(async () => {
      host = hostOf()
      machine = await boot()
      authority = await startDistantAuthority(machine, host.server)
      panel = await host.panel()
      site = await panel.createSite({
        ...{ domain: 'distant.example.com', type: 'static', aliases: ['www.distant.example.com'] },
      })
    }, 240_000)

    afterAll(async () => {
      await host.server.run('nft delete table inet door || true')
      await authority?.[Symbol.asyncDispose]()
      await machine?.[Symbol.asyncDispose]()
    }, 120_000)

    /** Does this with what comes from the authority to port 80, and counts it. */
    const door = (verdict: string) =>
      host.server.run(`nft -f - <<'END'
table inet door
delete table inet door
table inet door {
  chain input {
    type filter hook input priority -10;
    ip saddr ${authority.address} tcp dport 80 counter ${verdict}
  }
}
END`)
    const knocks = async () =>
      Number(/counter packets (\d+)/.exec(await host.server.run('nft list table inet door'))?.[1])
    const issue = async () => {
      const { status, body } = await panel.call<{ task: Task }>('POST', `/api/sites/${site.id}/certificate`)
      expect(status).toBe(202)
      return panel.taskEnd(body.task.id, 120_000)
    }
    /** Throws unless the authority vouches for what is served. */
    const vouchedFor = (name: string) => visit(name, { ...host.https, ca: authority.root })

    it('that a firewall keeps out says so, though the server reaches itself', async () => {
      await door('reject with tcp reset')
      const task = await issue()
      expect(task).toMatchObject({ state: 'failed' })
      expect(task.error).toMatch(/could not confirm (www\.)?distant\.example\.com: ".*refused/)
      expect(await knocks()).toBeGreaterThan(0)
      await expect(vouchedFor(site.domain)).rejects.toThrow(/self.signed/i)
    }, 180_000)

    it('looks at port 80 over the network and issues what its root vouches for', async () => {
      await door('accept')
      expect(await issue()).toMatchObject({ state: 'succeeded', error: null })
      expect(await knocks()).toBeGreaterThan(0)
      for (const name of [site.domain, ...site.aliases]) expect((await vouchedFor(name)).status).toBe(200)
      await expect(visit('stranger.example.com', { ...host.https, ca: authority.root })).rejects.toThrow()
    }, 180_000)

    it('revokes it when the site is deleted', async () => {
      const serial = await serialOf(host, site.domain)
      expect(await authority.statusOf(serial)).toBe('Valid')
      expect((await panel.deleteSite(site.id)).state).toBe('succeeded')
      expect(await authority.statusOf(serial)).toBe('Revoked')
      const { domain, id, system_user: systemUser } = site
      expect(findTraces(host.root, { domain, id, systemUser })).toEqual([])
    }, 120_000)
  })
}

function serialOf({ https }: InstalledHost, name: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({
    ...{ host: https.address, port: https.port, servername: name },
    ...{ rejectUnauthorized: false, timeout: 20_000 },
  })
  socket.on('secureConnect', () => {
    resolve(socket.getPeerCertificate().serialNumber)
    socket.end()
  })
  socket.on('timeout', () => socket.destroy(new Error('timed out')))
  socket.on('error', reject)
  return promise
}
