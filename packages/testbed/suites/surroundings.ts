// What is around the panel on an installed server: systemd, timers, rotation, the firewall, downloads, the doctor.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { timers } from '../../agent/src/services/timers.ts'
import type { Network } from '../lab/network.ts'
import type { Server } from '../lab/server.ts'
import { crowdAt } from '../src/crowd.ts'
import { breakages, examine, failures } from '../src/doctor.ts'
import { executable, install, type InstalledHost, panelName } from '../src/installed.ts'
import { wordpressFields } from '../src/panel.ts'
import { publishRelease } from '../src/release-server.ts'
import { visit } from '../src/visitor.ts'

const domain = 'units.example.com'

/** On Debian 13, whose openssl makes certificates of the past. */
export function surroundings(hostOf: () => InstalledHost, networkOf: () => Network): void {
  let host: InstalledHost
  let server: Server

  beforeAll(() => {
    host = hostOf()
    server = host.server
  })

  const healthz = () => visit(panelName, { ...host.https, path: '/healthz' }).then(({ status }) => status)

  it('finds nothing wrong with itself', async () => {
    const examined = await examine(server)
    expect(examined.filter(({ state }) => state === 'failed')).toEqual([])
    expect(examined.length).toBeGreaterThan(20)
  }, 120_000)

  it('starts a process again that hangs, as one that dies', async () => {
    const watchdogs =
      'journalctl -u reeve-agent -u reeve-api --no-pager -o cat | grep -c "Watchdog timeout" || true'
    const before = Number(await server.run(watchdogs))
    await server.run(
      'for unit in reeve-agent reeve-api; do kill -STOP "$(systemctl show $unit --property=MainPID --value)"; done',
    )
    await expect
      .poll(async () => Number(await server.run(watchdogs)) - before, { timeout: 150_000, interval: 1000 })
      .toBe(2)
    await expect.poll(() => healthz().catch(String), { timeout: 60_000 }).toBe(200)
    await expect.poll(() => failures(server), { timeout: 120_000, interval: 1000 }).toEqual([])
  }, 360_000)

  it('lets the API see whose a connection is', async () => {
    expect(await server.run('systemctl show reeve-api --property=PrivateUsers --value')).toBe('no\n')
  })

  it('has a timer of systemd for each of its own, which stop and start with the agent', async () => {
    const units = timers.map(({ name, distributionUnit }) => distributionUnit ?? `reeve-${name}.timer`)
    const ours = timers
      .filter(({ distributionUnit }) => distributionUnit === undefined)
      .map(({ name }) => name)
    const states = () => server.run(`systemctl is-active ${units.join(' ')} || true`)
    const active = units.map(() => 'active\n').join('')
    expect(await states()).toBe(active)
    expect(ours.length).toBeGreaterThan(0)
    for (const name of ours) await server.run(`systemctl start reeve-${name}.service`, 120_000)
    await server.run('systemctl stop reeve-agent', 120_000)
    expect((await states()).match(/^active$/gm)).toHaveLength(units.length - ours.length)
    await server.run('systemctl start reeve-agent', 300_000)
    await expect.poll(states, { timeout: 60_000 }).toBe(active)
    expect(await server.run('systemctl --failed --no-legend')).toBe('')
  }, 500_000)

  describe('around a site', () => {
    let id: string
    let user: string

    beforeAll(async () => {
      const site = await (await host.panel()).createSite({ ...wordpressFields, domain })
      id = site.id
      user = site.system_user ?? ''
    }, 120_000)

    afterAll(async () => {
      await (await host.panel()).deleteSite(id)
    }, 60_000)

    it('has its logs rotated, PHP errors as its user', async () => {
      const phpLog = `/srv/sites/${domain}/logs/php-error.log`
      const accessLog = `/var/log/reeve/${domain}/access.log`
      const asSite = `setpriv --reuid=${user} --regid=${user} --clear-groups --`
      await server.run(`${asSite} sh -c 'echo "PHP Warning" >>${phpLog}'`)
      const isWritten = () => server.run(`test ! -s ${accessLog} || echo written`)
      await visit(domain, host.https)
      await expect.poll(isWritten, { timeout: 20_000 }).toBe('written\n')
      await server.run('logrotate --force /etc/logrotate.conf', 120_000)
      expect(await server.run(`stat --format=%U ${phpLog}.1.gz`)).toBe(`${user}\n`)
      expect(await server.run(`zcat ${accessLog}.1.gz; stat --format=%s ${phpLog}`)).toMatch(/GET \/.*\n0\n$/)
      // The web server writes on.
      await visit(domain, host.https)
      await expect.poll(isWritten, { timeout: 20_000 }).toBe('written\n')
    }, 180_000)

    it('is served while more visitors have connected than the distribution allows', async () => {
      const size = 1000 * availableParallelism() // 768 for each worker
      using _crowd = await crowdAt(host.http, size)
      const answers = await Promise.all(Array.from({ length: 20 }, () => visit(domain, host.https)))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    }, 120_000)
  })

  it('installs what an address publishes, and nothing that is damaged, cut, moved or missing', async () => {
    const scratch = mkdtempSync('/var/tmp/reeve-releases-')
    await using releases = await publishRelease(dirname(executable), networkOf().gateway, scratch)
    rmSync(scratch, { recursive: true })
    writeFileSync(join(server.root, 'root/releases.pem'), releases.certificate)
    // Without an executable beside it.
    cpSync(join(dirname(executable), 'install.sh'), join(server.root, 'root/install.sh'))
    const run = (way: string, option = '', trust = '/root/releases.pem') =>
      server
        .run(
          `CURL_CA_BUNDLE=${trust} REEVE_RELEASE_URL=${releases.url}/${way} bash /root/install.sh --unattended ${option}`,
          300_000,
        )
        .catch(String)
    // What mktemp makes, and what is installed.
    const left = "find /tmp -maxdepth 1 -name 'tmp.*'; sha256sum /usr/lib/reeve/reeve"
    const before = await server.run(left)
    expect(await run('damaged')).toMatch(/is not what reeve-linux-\w+\.sha256 says/)
    for (const way of ['cut', 'moved', 'none']) expect(await run(way)).toMatch(/could not be downloaded/)
    expect(await run('good', '', '/etc/ssl/certs/ca-certificates.crt')).toMatch(/could not be downloaded/)
    expect(await server.run(left)).toBe(before)
    expect(await run('good', '--dry-run')).toMatch(/Nothing stands in the way/)
    expect(await run('good')).toMatch(/Installed in/)
    await expect.poll(() => healthz().catch(String), { timeout: 60_000 }).toBe(200)
  }, 900_000)

  it('opens an active firewall for what visitors need, and for nothing else', async () => {
    await server.run(
      `export DEBIAN_FRONTEND=noninteractive
      command -v ufw || apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends ufw
      ufw --force reset
      ufw --force enable`,
      300_000,
    )
    expect(await failures(server)).toEqual(['firewall'])
    await expect(visit(panelName, { ...host.https, timeoutMs: 2000 })).rejects.toThrow()
    await install(server)
    const status = await server.run('ufw status')
    const allowed = [...status.matchAll(/^(\S+) +ALLOW +Anywhere *$/gm)].map(([, rule]) => rule)
    expect(new Set(allowed)).toEqual(new Set(['22/tcp', '80/tcp', '443/tcp', '443/udp']))
    expect(allowed).toHaveLength(4)
    await expect.poll(() => healthz().catch(String), { timeout: 30_000 }).toBe(200)
    expect(await failures(server)).toEqual([])
    await server.run('ufw disable')
  }, 600_000)

  it('is told by the doctor what is broken, each thing by its name, with a reason and a way out', async () => {
    const before = await examine(server)
    const version = before.flatMap(({ check }) => /^PHP (\S+) configuration$/.exec(check)?.[1] ?? [])[0]
    const script = (text: string) => server.run(`php=${version}\n${text}`, 120_000)
    for (const { breaks } of breakages) await script(breaks)
    try {
      const named = breakages.flatMap((breakage) => breakage.named)
      expect(await failures(server)).toEqual(
        named.map((name) => name.replace('$php', String(version))).sort(),
      )
      for (const { why, fix } of (await examine(server)).filter(({ state }) => state === 'failed')) {
        expect(why).toMatch(/^\w.*\.$/)
        expect(fix).toMatch(/\w/)
      }
    } finally {
      for (const { repairs } of breakages) await script(repairs)
    }
    await expect.poll(() => failures(server), { timeout: 120_000, interval: 500 }).toEqual([])
    expect(await server.run('reeve doctor')).toMatch(/^0 of \d+ checks failed/m)
  }, 360_000)
}
