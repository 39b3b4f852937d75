// The release on fresh servers with a systemd of their own: what a person installs on a VPS.
import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execute } from '../lab/execute.ts'
import { type Network, openNetwork } from '../lab/network.ts'
import { makeRoot, prepareHost, type Release } from '../lab/root.ts'
import type { Server } from '../lab/server.ts'
import { deleteAllSites } from '../src/browser.ts'
import { type Campaign, campaignOn } from '../src/campaign.ts'
import {
  allowFailpoints,
  bootFresh,
  buildRelease,
  executable,
  install,
  type InstalledHost,
  installedHost,
  makeServerDisk,
  panelName,
  runInstaller,
  type ServerPlan,
} from '../src/installed.ts'
import { prepareNeighbour } from '../src/distant-authority.ts'
import { describeFootprint, memoryUsed } from '../src/footprint.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { visit } from '../src/visitor.ts'
import { type ArgumentsWatch, watchArguments } from '../src/watch-arguments.ts'
import { absence } from '../suites/absence.ts'
import { agentDown } from '../suites/agent-down.ts'
import { caching } from '../suites/caching.ts'
import { distantAuthority } from '../suites/distant-authority.ts'
import { firstSite } from '../suites/first-site.ts'
import { injection } from '../suites/injection.ts'
import { isolation } from '../suites/isolation.ts'
import { ownConfiguration } from '../suites/own-configuration.ts'
import { powerCut } from '../suites/power-cut.ts'
import { reaching } from '../suites/reaching.ts'
import { repeat } from '../suites/repeat.ts'
import { secrets } from '../suites/secrets.ts'
import { comingBack } from '../suites/services.ts'
import { sftpAlone } from '../suites/sftp.ts'
import { siteCrash } from '../suites/site-crash.ts'
import { siteLife } from '../suites/site-life.ts'
import { surroundings } from '../suites/surroundings.ts'

/** Ubuntu's archive is asked only when somebody wants it: REEVE_TEST_RELEASES=noble */
const releases = releasesOf(process.env['REEVE_TEST_RELEASES'] ?? 'bookworm,trixie')
const siteName = 'blog.example.com'

const folder = mkdtempSync('/var/tmp/reeve-lab-')
const disks = new Map<Release, Promise<string>>()
let network: Network
/** Checksum. */
let firstBuild: string

function releasesOf(names: string): Release[] {
  return names.split(',').map((name) => {
    if (name === 'bookworm' || name === 'trixie' || name === 'noble') return name
    throw new Error(`REEVE_TEST_RELEASES names "${name}", which is none of bookworm, trixie and noble.`)
  })
}

const planOf = (release: Release): ServerPlan => ({
  folder,
  release,
  network,
  number: releases.indexOf(release),
})

beforeAll(async () => {
  await prepareHost()
  network = await openNetwork()
  firstBuild = await buildRelease()
  // The second is made while the first is tested.
  let before: Promise<unknown> = Promise.resolve()
  for (const release of releases) {
    const made = before.then(() => makeServerDisk(planOf(release)))
    // Whoever awaits it is told; until then it must not end the run.
    before = made.catch(() => undefined)
    disks.set(release, made)
  }
}, 400_000)

afterAll(async () => {
  await Promise.allSettled(disks.values())
  await execute('rm', ['-rf', '--one-file-system', folder])
  await network?.[Symbol.asyncDispose]()
}, 600_000)

it('is built alike twice', async () => {
  expect(await buildRelease()).toBe(firstBuild)
}, 480_000)

it('starts in a minimal Debian with the one library it names, whatever NODE_OPTIONS says', async () => {
  const root = mkdtempSync(join(folder, 'minimal-'))
  await makeRoot(root, 'bookworm', ['libatomic1'])
  cpSync(executable, join(root, 'reeve'))
  const hostile = ['env', '-i', 'NODE_OPTIONS=--require=/nonexistent.js']
  const said = await execute('chroot', [root, ...hostile, '/reeve', 'version'])
  expect(said).toMatch(/^reeve \d+\.\d+\.\d+\n$/)
}, 600_000)

/** The suites of the embedded run, and those that need a systemd or a disk. */
function everySuite(hostOf: () => InstalledHost & { setupLink(): string }): void {
  describe('the first site', () => firstSite(hostOf))
  describe('a site', () => siteLife(hostOf))
  describe('a second application', () => repeat(hostOf))
  describe('hostile characters', () => injection(hostOf))
  isolation(hostOf)
  watchedSecrets(hostOf)
  ownConfiguration(hostOf)
  caching(hostOf)
  reaching(hostOf)
  sftpAlone(hostOf)
  comingBack(hostOf)
  absence(hostOf)
  describe('without watchdogs,', () => {
    // systemd would start an agent anew that a test holds for long.
    beforeAll(() => hostOf().server.run('systemctl service-watchdogs no'))
    afterAll(() => hostOf().server.run('systemctl service-watchdogs yes'))
    agentDown(hostOf)
  })
  describe('a crash', () => {
    let failpoints: Awaited<ReturnType<typeof allowFailpoints>>
    let campaign: Pick<Campaign, 'attempt'>

    beforeAll(async () => {
      failpoints = await allowFailpoints(hostOf())
      campaign = await campaignOn(hostOf(), failpoints.armed)
    }, 60_000)

    afterAll(() => failpoints?.[Symbol.asyncDispose]())

    siteCrash(
      () => campaign,
      [
        'site.apply.application:mid:kill',
        'site.apply.web-server:after:error',
        'site.create.apply:after:kill',
        'site.remove.files:after:kill',
      ],
    )
  })
  powerCut(hostOf)
  afterAll(async () => {
    await deleteAllSites(await hostOf().panel())
  })
}

function watchedSecrets(hostOf: () => InstalledHost): void {
  describe('while arguments are read,', () => {
    let watch: ArgumentsWatch
    beforeAll(() => {
      watch = watchArguments()
    })
    secrets(hostOf, () => watch)
    afterAll(() => watch[Symbol.dispose]())
  })
}

/** On the second release what differs between the two: versions of every service, and systemd's own. */
function shortSuite(hostOf: () => InstalledHost): void {
  describe('a site', () => siteLife(hostOf))
  isolation(hostOf)
  ownConfiguration(hostOf)
  caching(hostOf)
  sftpAlone(hostOf)
  comingBack(hostOf)
}

describe.each(releases)('on %s', (release) => {
  let server: Server
  let host: InstalledHost
  let panel: Panel
  let setupLink = ''
  let bootNeighbour: () => Promise<Server>

  const status = async (name: string, path = '/') => (await visit(name, { ...host.https, path })).status

  beforeAll(async () => {
    const disk = await (disks.get(release) ?? Promise.reject())
    if (release === 'trixie') bootNeighbour = await prepareNeighbour(disk, planOf(release))
    server = await bootFresh(disk, planOf(release))
    host = installedHost(server)
  }, 600_000)

  afterAll(() => server?.[Symbol.asyncDispose]())

  it('names everything that stands in the way, and touches nothing', async () => {
    await expect(runInstaller(server, '--hostname not_a_name')).rejects.toThrow(
      /The panel needs a name of its own/,
    )
    const broken = `cp -r /root/release /root/broken; echo x >>/root/broken/reeve-linux-${process.arch}
      mkdir -p /usr/local/hestia
      REEVE_LOCAL_BUILD=/root/broken REEVE_HOSTNAME=x bash /root/release/install.sh --unattended --dry-run`
    const refusal = await server.run(broken).catch((error: unknown) => String(error))
    expect(refusal).toMatch(/Another panel is installed here/)
    expect(refusal).toMatch(/is not what .* says/)
    expect(refusal).toMatch(/The panel needs a name of its own/)
    await server.run('rm -r /root/broken /usr/local/hestia')
    expect(await server.run("find / -xdev -iname '*reeve*' -not -path '/root/*' -not -path '/proc/*'")).toBe(
      '',
    )
  })

  it('is installed, and the panel answers at its own name alone', async () => {
    const memoryBefore = memoryUsed(server)
    const said = await install(server)
    console.log(`${release}: ${await describeFootprint(server, said, memoryBefore)}`)
    setupLink = /https:\S+\/setup#token=\S{43}(?=\s)/.exec(said)?.[0] ?? ''
    expect(setupLink).toContain(panelName)
    expect(await status(panelName, '/healthz')).toBe(200)
    await expect(status('somebody.else.test')).rejects.toThrow()
    expect(await server.run('systemctl --failed --no-legend')).toBe('')
  }, 600_000)

  describe('as embedded:', () => {
    if (release !== 'trixie') everySuite(() => Object.assign(host, { setupLink: () => setupLink }))
    else shortSuite(() => host)
  })

  if (release === 'trixie') {
    describe('around the panel:', () =>
      surroundings(
        () => host,
        () => network,
      ))
    distantAuthority(
      () => host,
      () => bootNeighbour(),
    )
  }

  it('creates a WordPress site that answers over HTTPS', async () => {
    panel = await host.panel()
    await panel.createSite({ domain: siteName, object_cache: true, ...wordpressFields })
    expect(await status(siteName)).toBe(200)
    expect((await visit(siteName, { ...host.https, path: '/wp-login.php' })).text).toContain('user_login')
  }, 90_000)

  it('keeps sites from the panel', async () => {
    const { body } = await panel.call<{ sites: { system_user: string }[] }>('GET', '/api/sites')
    const user = body.sites[0]?.system_user
    const dial = 'timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/5252" 2>&1 || true'
    const asSite = `setpriv --reuid=${user} --regid=${user} --clear-groups -- ${dial}`
    expect(await server.run(asSite)).toContain('Connection refused')
    expect(await server.run('systemctl show reeve-api --property=CapabilityBoundingSet --value')).toBe('\n')
    // In tenths. Nine and a half is a unit that says nothing; the decision note names what is open and why.
    await server.run(`
      systemd-analyze security --no-pager --threshold=12 reeve-api.service >/dev/null
      systemd-analyze security --no-pager --threshold=43 reeve-agent.service >/dev/null`)
  })

  it('serves the site again after a reboot', async () => {
    await server.reboot()
    await expect.poll(() => status(siteName, '/wp-login.php').catch(String), { timeout: 30_000 }).toBe(200)
    await expect
      .poll(async () => (await panel.call('GET', '/api/sites').catch(() => ({ status: 0 }))).status, {
        timeout: 30_000,
      })
      .toBe(200)
  }, 120_000)

  it('serves the site without the panel, and finds it again when installed again', async () => {
    expect(await server.run('reeve uninstall --yes')).toContain(siteName)
    expect(await status(siteName, '/wp-login.php')).toBe(200)
    // The workers that still know the panel end in a moment.
    const answer = () => status(panelName).catch(() => 'no answer')
    await expect.poll(answer, { timeout: 20_000 }).toBe('no answer')
    expect(await install(server)).toContain(`https://${panelName}/`)
    const { body } = await panel.call<{ sites: { domain: string }[] }>('GET', '/api/sites')
    expect(body.sites.map(({ domain }) => domain)).toContain(siteName)
  }, 120_000)

  it('removes everything when asked to', async () => {
    await server.run('reeve uninstall --remove-sites --yes')
    const left = String.raw`find / -xdev \( -iname '*reeve*' -o -iname '*${siteName}*' \) -not -path '/root/*' -not -path '/proc/*' -print
      grep -E '^(site-|reeve:)' /etc/passwd /etc/group || true
      mariadb -N -e "SHOW DATABASES LIKE 'site%'"
      systemctl --failed --no-legend`
    expect(await server.run(left)).toBe('')
  }, 60_000)
})
