// The embedded run rotates its logs by its own clock: the timer's work, asked for as the clock does.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { timerRun } from '@reeve/contract/timers.ts'
import { describe, expect, it } from 'vitest'
import { createAgentClient } from '../../api/src/agent-client.ts'
import type { Host } from '../src/host.ts'
import { findTraces } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

const domain = 'rotation.example.com'

export function logRotation(hostOf: () => Host): void {
  describe('log rotation', () => {
    it("rotates a site's logs, PHP errors as the site's user, and goes with the site", async () => {
      const host = hostOf()
      const panel = await host.panel()
      const site = await panel.createSite({ domain, type: 'php' })
      const user = site.system_user ?? ''
      const phpLog = join(host.root, 'srv/sites', domain, 'logs/php-error.log')
      const accessLog = join(host.root, 'var/log/reeve', domain, 'access.log')
      const identity = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']
      execFileSync('/usr/bin/setpriv', [...identity, '/usr/bin/tee', phpLog], { input: 'PHP Warning\n' })
      await visit(domain, { ...host.https, path: '/the-last-line' })
      // nginx writes what it holds within a second; nothing may follow the rotation.
      const logged = () => readFileSync(accessLog, 'utf8')
      await expect.poll(logged, { timeout: 20_000 }).toContain('/the-last-line')

      makeDue(host.root, phpLog, accessLog)
      await createAgentClient(join(host.root, 'run/reeve/agent.sock')).call(timerRun, {
        name: 'log-rotation',
      })
      expect(statSync(`${phpLog}.1.gz`).uid).toBe(20_000 + Number(user.split('-')[1]))
      expect(statSync(`${accessLog}.1.gz`).uid).toBe(0)
      expect([statSync(phpLog).size, statSync(accessLog).size]).toEqual([0, 0])
      // The web server writes on.
      await visit(domain, host.https)
      await expect.poll(logged, { timeout: 20_000 }).toContain('GET /')

      const rotation = join(host.root, 'etc/logrotate.d', `reeve-${user}`)
      expect(existsSync(rotation)).toBe(true)
      await panel.deleteSite(site.id)
      expect(existsSync(rotation)).toBe(false)
      expect(findTraces(host.root, { domain, id: site.id, systemUser: user })).toEqual([])
    }, 120_000)
  })
}

/** logrotate leaves alone what it sees for the first time, so its record says that these are two days old. */
function makeDue(root: string, ...logs: string[]): void {
  const past = new Date(Date.now() - 2 * 24 * 3600 * 1000)
  const day = `${past.getFullYear()}-${past.getMonth() + 1}-${past.getDate()}-1:0:0`
  const state = join(root, 'var/lib/logrotate/status')
  mkdirSync(dirname(state), { recursive: true })
  writeFileSync(state, `logrotate state -- version 2\n${logs.map((path) => `"${path}" ${day}\n`).join('')}`)
}
