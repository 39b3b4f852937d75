// The release on fresh Debian servers with a systemd of their own: what a person installs on a VPS.
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execute } from '../lab/execute.ts'
import { type Network, openNetwork } from '../lab/network.ts'
import { configureRoot, type DebianRelease, makeRoot, prepareHost, serverPackages } from '../lab/root.ts'
import { bootServer, type Server } from '../lab/server.ts'
import { visit } from '../lab/visit.ts'
import { wordpressFields } from '../src/panel.ts'
import { administrator, repository } from '../src/reeve.ts'
import { wordpressSource } from '../src/wordpress-source.ts'

const releases: readonly DebianRelease[] = ['bookworm', 'trixie']
const panelName = 'panel.example.test'
const siteName = 'blog.example.test'
const executable = join(repository, 'dist/release', `reeve-linux-${process.arch}`)

const folder = mkdtempSync('/var/tmp/reeve-lab-')
const rootOf = (release: DebianRelease) => join(folder, release)
const roots = new Map<DebianRelease, Promise<void>>()
let network: Network

async function build(): Promise<string> {
  await execute(process.execPath, [join(repository, 'scripts/release.ts')], { timeoutMs: 240_000 })
  return (await execute('sha256sum', [executable])).split(' ')[0] ?? ''
}

beforeAll(async () => {
  await prepareHost()
  network = await openNetwork()
  await build()
  // The second is made while the first is tested.
  let before: Promise<unknown> = Promise.resolve()
  for (const release of releases) {
    const made = before.then(() => makeRoot(rootOf(release), release, serverPackages))
    // Whoever awaits it is told; until then it must not end the run.
    before = made.catch(() => undefined)
    roots.set(release, made)
  }
}, 400_000)

afterAll(async () => {
  await Promise.allSettled(roots.values())
  await execute('rm', ['-rf', '--one-file-system', folder])
  await network[Symbol.asyncDispose]()
}, 60_000)

it('is built alike twice', async () => {
  expect(await build()).toBe(await build())
}, 120_000)

it('starts in a minimal Debian with the one library it names, whatever NODE_OPTIONS says', async () => {
  const root = join(folder, 'minimal')
  await makeRoot(root, 'bookworm', ['libatomic1'])
  cpSync(executable, join(root, 'reeve'))
  const hostile = ['env', '-i', 'NODE_OPTIONS=--require=/nonexistent.js']
  const said = await execute('chroot', [root, ...hostile, '/reeve', 'version'])
  expect(said).toMatch(/^reeve \d+\.\d+\.\d+\n$/)
}, 120_000)

describe.each(releases)('on %s', (release) => {
  let server: Server
  let setupToken: string
  let cookie = ''
  let address: string

  const status = async (name: string, path = '/') => (await visit({ address, name, path })).status
  const api = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await visit({ address, name: panelName, method, path, body, cookie })
    return { ...answer, body: JSON.parse(answer.body) }
  }
  const install = (options: string) =>
    server.run(
      `REEVE_WORDPRESS_SOURCE=/root/wordpress.tar.xz bash /root/release/install.sh --unattended ${options}`,
      280_000,
    )

  beforeAll(async () => {
    await roots.get(release)
    const root = rootOf(release)
    const { bridge, gateway } = network
    address = network.addressOf(releases.indexOf(release))
    await configureRoot(root, { name: 'server', address, gateway })
    mkdirSync(join(root, 'root/release'), { recursive: true })
    cpSync(join(repository, 'dist/release'), join(root, 'root/release'), { recursive: true })
    cpSync(await wordpressSource(), join(root, 'root/wordpress.tar.xz'))
    server = await bootServer({ root, name: `${bridge}-${release}`, address, bridge })
  }, 300_000)

  afterAll(() => server[Symbol.asyncDispose]())

  it('names everything that stands in the way, and touches nothing', async () => {
    await expect(install('--hostname not_a_name')).rejects.toThrow(/The panel needs a name of its own/)
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
    const said = await install(`--hostname ${panelName}`)
    console.log(`${release}: ${/Installed in .*/.exec(said)?.[0]}`)
    setupToken = new RegExp(`https://${panelName}/setup#token=(\\S+)`).exec(said)?.[1] ?? ''
    expect(setupToken).toHaveLength(43)
    expect(await status(panelName, '/healthz')).toBe(200)
    await expect(status('somebody.else.test')).rejects.toThrow()
    expect(await server.run('systemctl --failed --no-legend')).toBe('')
  }, 300_000)

  it('creates a WordPress site that answers over HTTPS', async () => {
    const setup = await api('POST', '/api/setup', { token: setupToken, ...administrator })
    expect(setup.status).toBe(201)
    const login = await visit({
      address,
      name: panelName,
      method: 'POST',
      path: '/api/login',
      body: administrator,
    })
    cookie = login.cookies[0]?.split(';')[0] ?? ''
    const fields = { domain: siteName, object_cache: true, ...wordpressFields }
    const created = await api('POST', '/api/sites', fields)
    expect(created.status).toBe(202)
    const task = () => api('GET', `/api/tasks/${created.body.task.id}`)
    await expect
      .poll(async () => (await task()).body.state, { timeout: 60_000 })
      .toMatch(/^(succeeded|failed)$/)
    expect((await task()).body.error).toBeNull()
    expect(await status(siteName)).toBe(200)
    expect((await visit({ address, name: siteName, path: '/wp-login.php' })).body).toContain('user_login')
  }, 90_000)

  it('keeps sites from the panel', async () => {
    const dial = 'timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/5252" 2>&1 || true'
    const asSite = `setpriv --reuid=site-1 --regid=site-1 --clear-groups -- ${dial}`
    expect(await server.run(asSite)).toContain('Connection refused')
    expect(await server.run('systemctl show reeve-api --property=CapabilityBoundingSet --value')).toBe('\n')
    await server.run(`
      systemd-analyze security --no-pager --threshold=15 reeve-api.service >/dev/null
      systemd-analyze security --no-pager --threshold=70 reeve-agent.service >/dev/null`)
  })

  it('brings back each service that is killed', async () => {
    const php = release === 'bookworm' ? 'php8.2-fpm' : 'php8.4-fpm'
    for (const unit of ['nginx', php, 'mariadb', 'redis-server', 'reeve-agent', 'reeve-api']) {
      const pid = `systemctl show ${unit}.service --property=MainPID --value`
      const killed = await server.run(`${pid}; kill -KILL $(${pid})`)
      await expect
        .poll(() => server.run(`${pid}; systemctl is-active ${unit} || true`), { timeout: 20_000 })
        .toMatch(new RegExp(`^(?!${killed.trim()}\\n|0\\n)\\d+\\nactive\\n$`))
      const answers = async () => [
        await status(siteName, '/wp-login.php'),
        await status(panelName, '/healthz'),
      ]
      await expect.poll(() => answers().catch(String), { timeout: 20_000 }).toEqual([200, 200])
    }
  }, 120_000)

  it('serves the site again after a reboot', async () => {
    await server.reboot()
    await expect.poll(() => status(siteName, '/wp-login.php').catch(String), { timeout: 30_000 }).toBe(200)
    await expect
      .poll(async () => (await api('GET', '/api/sites').catch(() => ({ status: 0 }))).status, {
        timeout: 30_000,
      })
      .toBe(200)
  }, 120_000)

  it('serves the site without the panel, and finds it again when installed again', async () => {
    expect(await server.run('reeve uninstall --yes')).toContain(siteName)
    expect(await status(siteName, '/wp-login.php')).toBe(200)
    // The workers that still know the panel end in a moment.
    const panel = () => status(panelName).catch(() => 'no answer')
    await expect.poll(panel, { timeout: 5000 }).toBe('no answer')
    expect(await install(`--hostname ${panelName}`)).toContain(`https://${panelName}/`)
    expect((await api('GET', '/api/sites')).body.sites[0].domain).toBe(siteName)
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
