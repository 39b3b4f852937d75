// Code in one site tries to reach another site and the panel, and a site that is deleted leaves nothing to the next.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Host, runOn } from '../src/host.ts'
import { type Matrix, runProbes } from '../src/isolation/matrix.ts'
import {
  callScript,
  clearPlanted,
  fetchFrom,
  installScripts,
  lookalikeOf,
  plant,
  type Tenant,
  tenantOf,
} from '../src/isolation/tenant.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { sql } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

const nobody = 65_534

export function isolation(hostOf: () => Host): void {
  describe('between sites', () => {
    let host: Host
    let panel: Panel
    let attacker: Tenant
    let victim: Tenant
    let plain: Tenant

    beforeAll(async () => {
      host = hostOf()
      panel = await host.panel()
      const wordpress = { ...wordpressFields, object_cache: true }
      const [a, b, c] = await Promise.all([
        panel.createSite({ ...wordpress, domain: 'attacker.example.com' }),
        panel.createSite({ ...wordpress, domain: 'victim.example.com' }),
        panel.createSite({ domain: 'plain.example.com', type: 'php', object_cache: true }),
      ])
      attacker = tenantOf(host, a)
      victim = tenantOf(host, b)
      plain = tenantOf(host, c)
      for (const tenant of [attacker, victim, plain]) {
        installScripts(tenant)
        // A cached page and a compiled script, so that the page cache and the opcode cache hold something of the site.
        expect((await visit(tenant.domain, host.https)).status).toBe(200)
        expect((await fetchFrom(tenant, 'returns.php')).status).toBe(200)
      }
    }, 180_000)

    afterAll(async () => {
      clearPlanted([attacker, victim, plain])
      for (const { id } of [attacker, victim]) expect((await panel.deleteSite(id)).error).toBeNull()
    }, 120_000)

    describe.each([
      ['WordPress', () => attacker],
      ['plain PHP', () => plain],
    ])('code in a site of %s, without open_basedir', (_type, from) => {
      it('reaches nothing of another site or the panel', { timeout: 240_000 }, async () => {
        const blindEmail = `blind-${from().user}@example.com`
        const { probes, ...matrix } = await attack(from(), victim, blindEmail)
        expect(matrix.open_basedir).toBe('')
        expect(matrix.uid).toBe(from().uid)
        const controlled = probes.filter(({ control }) => control !== null)
        console.log(`${probes.length} probes, ${controlled.length} of them with a control that succeeds`)
        expect(named(probes.filter(({ reached }) => reached))).toEqual([])
        expect(controlled.filter(({ control }) => !control?.reached)).toEqual([])
        expect(new Set(probes.map(({ name }) => name)).size).toBe(probes.length)
        expect(probes.length).toBeGreaterThanOrEqual(200)
        expect(controlled.length).toBeGreaterThanOrEqual(45)
        // What the site had sent before would have been heard before this.
        const control = `control-${from().user}-${Date.now()}@example.com`
        signInBlindly(host, control)
        await expect.poll(() => heardFrom(panel, control), { timeout: 30_000 }).toBe(1)
        expect(await heardFrom(panel, blindEmail)).toBe(0)
      })
    })

    describe('links in a site', () => {
      const link = (name: string, to: string, ...options: string[]) => {
        const place = join(attacker.code.dir, name)
        return runOn(host, attacker.uid, ['/bin/ln', ...options, '--force', '--', to, place])
      }

      it('are served to its own files and to nobody else’s', async () => {
        const secret = 'shared/uploads/planted.txt'
        link('own.txt', join(attacker.home, secret), '--symbolic')
        expect((await fetchFrom(attacker, 'own.txt')).text).toContain(attacker.user)

        const targets: Record<string, string> = {
          'upload.txt': join(victim.home, secret),
          'log.txt': join(host.ownRoot, `var/log/reeve/${victim.domain}/access.log`),
          'passwd.txt': '/etc/passwd',
          'code.txt': join(victim.code.dir, 'returns.php'),
          'run.php': join(victim.code.dir, 'returns.php'),
          'vhost.txt': join(host.ownRoot, `etc/nginx/sites-enabled/${victim.domain}.conf`),
          'error.txt': join(host.ownRoot, 'var/log/nginx/error.log'),
        }
        const answers = await Promise.all(
          Object.entries(targets).map(async ([name, target]) => {
            link(name, target, '--symbolic')
            const { status } = await fetchFrom(attacker, name)
            return [name, status] as const
          }),
        )
        expect(answers.filter(([, status]) => status !== 403 && status !== 404)).toEqual([])
        link('tree', victim.home, '--symbolic', '--no-target-directory')
        expect([403, 404]).toContain((await fetchFrom(attacker, `tree/${secret}`)).status)
      })

      it('cannot be hard ones to a file of another owner', () => {
        expect(() => link('hard.txt', '/etc/shadow')).toThrow(/denied|not permitted/)
        expect(() => link('hard.txt', join(victim.home, 'shared/uploads/planted.txt'))).toThrow(/denied/)
        link('hard.txt', join(attacker.home, 'shared/uploads/planted.txt'))
      })
    })

    it('leaves the agent’s socket to the user of the API alone', () => {
      const socket = join(host.ownRoot, 'run/reeve/agent.sock')
      const ask = ['/usr/bin/curl', '--silent', '--show-error', '--max-time', '10', '--unix-socket', socket]
      const ping = (user: string, group = user) => {
        const become = ['/usr/bin/setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups', '--']
        return runOn(host, 0, [...become, ...ask, 'http://agent/ping'])
      }
      expect(ping('reeve')).toContain('"pid"')
      for (const user of ['www-data', 'redis', 'mysql', attacker.user])
        expect(() => ping(user), user).toThrow(/curl: \(7\)/)
      expect(() => ping('nobody', 'nogroup')).toThrow(/curl: \(7\)/)
    })

    it('leaves nothing of a deleted one in the temporary folders for the next one with its number', async () => {
      const folder = join(host.root, 'var/lib/reeve-php/tmp')
      const left = () => readdirSync(folder).filter((name) => statSync(join(folder, name)).uid === plain.uid)
      await callScript(plain, 'plant.php', { home: plain.home, mark: plain.user, key: plain.uid })
      expect(left()).toEqual([`planted-${plain.user}`])
      expect((await panel.deleteSite(plain.id)).state).toBe('succeeded')
      expect(left()).toEqual([])
    })
  })
}

async function attack(from: Tenant, to: Tenant, blindEmail: string): Promise<Matrix> {
  const lookalike = lookalikeOf(from.database.name)
  sql(
    from.host.root,
    `CREATE DATABASE IF NOT EXISTS ${lookalike}; CREATE TABLE IF NOT EXISTS ${lookalike}.planted SELECT 1 AS a`,
  )
  using held = new DisposableStack()
  const [own, other] = [held.use(await plant(from)), held.use(await plant(to))]
  return await runProbes(
    { tenant: from, planted: own },
    { tenant: to, planted: other },
    { blind_email: blindEmail, lookalike_database: lookalike },
  )
}

/** How often the panel acted on a request in this name. */
async function heardFrom(panel: Panel, actor: string): Promise<number> {
  const { body } = await panel.call<{ entries: unknown[] }>('GET', `/api/audit?limit=200&actor=${actor}`)
  return body.entries.length
}

/** The request of probes.d/services.php, from a user who is no site's. */
function signInBlindly(host: Host, email: string): void {
  const body = JSON.stringify({ email, password: 'x' })
  const at = `127.0.0.1:${host.port}`
  const head = ['POST /api/login HTTP/1.1', `Host: ${at}`, `Origin: http://${at}`]
  const request = [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body]
  const dial = `exec 3<>/dev/tcp/127.0.0.1/${host.port} && cat >&3 && head --bytes=1 <&3`
  runOn(host, nobody, ['/bin/bash', '-c', dial], request.join('\r\n'))
}

const named = (probes: Matrix['probes']) => probes.map(({ name, detail }) => `${name} → ${detail}`)
