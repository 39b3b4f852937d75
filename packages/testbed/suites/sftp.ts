// SFTP with OpenSSH's own client: whatever else SSH can do is refused, and a session ends with what let it in.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { SftpState } from '@reeve/contract/access.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../src/host.ts'
import type { Panel } from '../src/panel.ts'
import { createSshClient, type Credentials, sessionsOf, type SshClient } from '../src/sftp.ts'
import { findTraces } from '../src/slate.ts'
import {
  askForAll,
  attempt,
  attemptNames,
  attempts,
  listeningSockets,
  startAgent,
} from '../src/ssh-attempts.ts'

export function sftpAlone(hostOf: () => Host): void {
  describe('SFTP', () => {
    let host: Host
    let panel: Panel
    let site: Site
    let client: SshClient
    let byPassword: Credentials
    let byKey: Credentials

    const turn = async (body: object) =>
      (await panel.call<SftpState & { password: string | null }>('POST', `/api/sites/${site.id}/sftp`, body))
        .body

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
      site = await panel.createSite({ domain: 'files.example.com', type: 'static' })
      const { user, password, port } = await turn({ enabled: true })
      client = createSshClient(port, host.http.address)
      byPassword = { user, password: password ?? '' }
      byKey = { user, key: client.makeKey('files') }
      const added = await panel.call('POST', `/api/sites/${site.id}/ssh-keys`, {
        public_key: client.publicKeyOf(byKey.key ?? ''),
      })
      expect(added.status).toBe(201)
    }, 120_000)

    afterAll(async () => {
      client?.[Symbol.dispose]()
      expect((await panel.deleteSite(site.id)).state).toBe('succeeded')
      const { domain, id, system_user: systemUser } = site
      expect(findTraces(host.root, { domain, id, systemUser })).toEqual([])
    }, 120_000)

    it.each(attemptNames)(
      'refuses %s',
      async (name) => {
        // Everybody may connect to it.
        const socket = join(host.ownRoot, 'run/mysqld/mysqld.sock')
        const made = await attempts[name]({ port: host.port, socket }, client.folder)
        const said = await attempt(client, byKey, made)
        expect(said).toMatch(made.refused)
        expect(said).not.toMatch(made.reached)
      },
      90_000,
    )

    it("takes no agent, windows or ports of the client's", async () => {
      using agent = await startAgent(client.folder)
      const { said, seen } = await askForAll(client, byPassword, agent.socket, () => {
        const pids = sessionsOf(byPassword.user)
        expect(pids.length).toBeGreaterThan(0)
        return listeningSockets(pids)
      })
      expect(seen).toEqual([])
      expect(said).toContain('Requesting authentication agent forwarding')
      expect(said).toContain('X11 forwarding request failed')
      expect(said).toContain('Server has disabled port forwarding')
    }, 90_000)

    const opened = async (credentials: Credentials) => {
      const session = client.open(credentials)
      let output = ''
      for (const stream of [session.stdout, session.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
      session.stdin.on('error', () => {
        // It has ended.
      })
      session.stdin.write('pwd\n')
      await expect.poll(() => output, { timeout: 60_000 }).toContain('Remote working directory')
      expect(sessionsOf(credentials.user).length).toBeGreaterThan(0)
      return session
    }
    /** The client learns it at its next request. */
    const expectEnded = async (session: ChildProcess, { user }: Credentials) => {
      expect(sessionsOf(user)).toEqual([])
      const closed = once(session, 'close', { signal: AbortSignal.timeout(60_000) })
      session.stdin?.write('ls\n')
      await closed
    }

    it('ends a session when its key is removed, and the key is worth nothing any more', async () => {
      const session = await opened(byKey)
      const { keys } = (
        await panel.call<{ keys: { fingerprint: string }[] }>('GET', `/api/sites/${site.id}/ssh-keys`)
      ).body
      const removed = await panel.call('DELETE', `/api/sites/${site.id}/ssh-keys/${keys[0]?.fingerprint}`)
      expect([keys.length, removed.status]).toEqual([1, 204])
      await expectEnded(session, byKey)
      expect((await client.sftp(byKey, ['pwd'])).code).toBe(255)
      expect((await client.sftp(byPassword, ['pwd'])).code).toBe(0)
    }, 180_000)

    it('ends a session when the password is replaced, and when SFTP is turned off', async () => {
      const first = await opened(byPassword)
      const made = await turn({ enabled: true, password: 'a password of my own' })
      expect(made.password).toBeNull()
      await expectEnded(first, byPassword)
      expect((await client.sftp(byPassword, ['pwd'])).code).toBe(255)
      const own = { user: byPassword.user, password: 'a password of my own' }
      const second = await opened(own)
      expect(await turn({ enabled: false })).toMatchObject({ enabled: false, has_password: false })
      await expectEnded(second, own)
    }, 180_000)
  })
}
