// How people reach what is inside a server: its logs, its clock and its files, with the programs of that server.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SftpState } from '@reeve/contract/access.ts'
import type { CronJob } from '@reeve/contract/cron.ts'
import { type LogLines, ServerLogSource } from '@reeve/contract/logs.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../src/host.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { createSshClient, type SshClient } from '../src/sftp.ts'
import { findTraces } from '../src/slate.ts'

export function reaching(hostOf: () => Host): void {
  describe('reaching', () => {
    let host: Host
    let panel: Panel
    let site: Site
    let client: SshClient | undefined

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
      site = await panel.createSite({ ...wordpressFields, domain: 'reach.example.com' })
    }, 120_000)

    afterAll(() => client?.[Symbol.dispose]())

    it('every log of the server, and goes on where it was', async () => {
      const read = (query: string) => panel.call<LogLines>('GET', `/api/logs?${query}`)
      for (const source of ServerLogSource.options) {
        expect([source, (await read(`source=${source}`)).status]).toEqual([source, 200])
      }
      for (const source of ['api', 'agent', 'redis', 'mariadb'] as const) {
        const lines = async () => (await read(`source=${source}`)).body.lines.length
        await expect.poll(lines, { timeout: 30_000 }).toBeGreaterThan(0)
      }
      const { cursor } = (await read('source=agent')).body
      await panel.call('GET', `/api/sites/${site.id}/cron`)
      const added = async () => (await read(`source=agent&filter=CRON.state&cursor=${cursor}`)).body.lines
      await expect.poll(async () => (await added()).length, { timeout: 30_000 }).toBeGreaterThan(0)
    })

    it('a cron job, which runs as the site with its PHP and its database', async () => {
      const command = `php -r 'require "wp-load.php"; echo posix_getuid(), " ", PHP_VERSION, " ", get_option("siteurl");'`
      const job = await panel.call<CronJob>('POST', `/api/sites/${site.id}/cron`, {
        schedule: '@daily',
        command,
      })
      expect((await panel.call('POST', `/api/cron/${job.body.id}/run`)).status).toBe(200)
      const run = async () => {
        const { body } = await panel.call<{ jobs: CronJob[] }>('GET', `/api/sites/${site.id}/cron`)
        return body.jobs.find(({ id }) => id === job.body.id)?.last_run
      }
      await expect.poll(async () => (await run())?.outcome, { timeout: 60_000 }).toBe('succeeded')
      const uid = 20_000 + Number(site.system_user?.split('-')[1])
      expect((await run())?.output).toMatch(
        new RegExp(`^${uid} ${site.php_version}\\.\\S+ https://reach\\.example\\.com`),
      )
    })

    it("files over SFTP with the server's sshd and its PAM, by password and key, and no shell", async () => {
      const sshd = join(host.root, 'etc/ssh/sshd_config')
      const before = existsSync(sshd) ? readFileSync(sshd, 'utf8') : ''
      const made = await panel.call<SftpState & { password: string }>('POST', `/api/sites/${site.id}/sftp`, {
        enabled: true,
      })
      expect(made.status === 200 ? '' : made.body).toBe('')
      const { user, password, port } = made.body
      client = createSshClient(port, host.http.address)
      const key = client.makeKey('reaching')
      await panel.call('POST', `/api/sites/${site.id}/ssh-keys`, { public_key: client.publicKeyOf(key) })
      const file = join(client.folder, 'sent.txt')
      writeFileSync(file, 'sent\n', { mode: 0o644 })
      for (const credentials of [
        { user, password },
        { user, key },
      ]) {
        const sent = await client.sftp(credentials, [
          `put ${file} /current/wp-content/uploads/sent.txt`,
          'ls /',
        ])
        expect(sent).toMatchObject({ code: 0 })
        expect((await client.sftp(credentials, [`get /etc/passwd ${file}.stolen`])).code).toBe(1)
        expect((await client.ssh(credentials, [], 'id')).output).not.toContain('uid=')
        expect((await client.ssh(credentials, ['-W', '127.0.0.1:5252'])).output).toContain('prohibited')
      }
      expect((await client.sftp({ user: 'root', password }, ['pwd'])).code).toBe(255)
      expect(
        readFileSync(join(host.root, 'srv/sites/reach.example.com/shared/uploads/sent.txt'), 'utf8'),
      ).toBe('sent\n')
      expect(existsSync(sshd) ? readFileSync(sshd, 'utf8') : '').toBe(before)
      await panel.call('POST', `/api/sites/${site.id}/sftp`, { enabled: false })
      expect((await client.sftp({ user, key }, ['pwd'])).code).toBe(255)
    }, 180_000)

    it('nothing of it once the site is gone', async () => {
      await panel.call('POST', `/api/sites/${site.id}/sftp`, { enabled: true })
      expect((await panel.deleteSite(site.id)).state).toBe('succeeded')
      const { domain, id, system_user: systemUser } = site
      expect(findTraces(host.root, { domain, id, systemUser })).toEqual([])
    }, 120_000)
  })
}
