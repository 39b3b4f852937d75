// The release on a throw-away server: made, installed and used as a person would with a VPS.
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openRegistry } from '../../agent/src/registry.ts'
import { execute } from '../lab/execute.ts'
import type { Network } from '../lab/network.ts'
import { configureRoot, makeDisk, makeRoot, type Release, serverPackages } from '../lab/root.ts'
import { bootServer, type Server } from '../lab/server.ts'
import { administrator, type Host, type Person, type Service } from './host.ts'
import { openPanelAt, type Panel } from './panel.ts'
import { repository } from './reeve.ts'
import { wordpressSource } from './wordpress-source.ts'

export const panelName = 'panel.example.com'
export const executable = join(repository, 'dist/release', `reeve-linux-${process.arch}`)

/** Builds the release and answers the executable's checksum. */
export async function buildRelease(): Promise<string> {
  await execute(process.execPath, [join(repository, 'scripts/release.ts')], { timeoutMs: 240_000 })
  return (await execute('sha256sum', [executable])).split(' ')[0] ?? ''
}

export interface ServerPlan {
  /** Where its disk is made. */
  folder: string
  release: Release
  network: Network
  /** Among the servers of the network. */
  number: number
}

/** The disk of a fresh server, with the release and a WordPress where its root finds them. */
export async function makeServerDisk({ folder, release, network, number }: ServerPlan): Promise<string> {
  const root = join(folder, release)
  await makeRoot(root, release, serverPackages)
  await configureRoot(root, { name: 'server', address: network.addressOf(number), gateway: network.gateway })
  mkdirSync(join(root, 'root/release'), { recursive: true })
  cpSync(join(repository, 'dist/release'), join(root, 'root/release'), { recursive: true })
  cpSync(await wordpressSource(), join(root, 'root/wordpress.tar.xz'))
  const disk = join(folder, `${release}.disk`)
  await makeDisk(root, disk)
  return disk
}

export function bootFresh(disk: string, { release, network, number }: ServerPlan): Promise<Server> {
  const { bridge } = network
  return bootServer({ disk, name: `${bridge}-${release}`, address: network.addressOf(number), bridge })
}

/** Installs Reeve with this name for the panel, and answers what the installer said. */
export function install(server: Server): Promise<string> {
  if (!existsSync(join(server.root, 'var/lib/reeve-agent'))) separateSiteNumbers(server.root)
  return runInstaller(server, `--hostname ${panelName}`)
}

export function runInstaller(server: Server, options: string): Promise<string> {
  return server.run(
    `REEVE_WORDPRESS_SOURCE=/root/wordpress.tar.xz bash /root/release/install.sh --unattended ${options}`,
    400_000,
  )
}

export interface InstalledHost extends Host {
  server: Server
}

/** An installed server as the suites use it. */
export function installedHost(server: Server): InstalledHost {
  const { address } = server
  const origin = `https://${panelName}`
  let signedIn: Promise<Panel> | undefined
  const signIn = (person: Person = administrator) =>
    openPanelAt({ root: server.root, address, origin, ...person })
  return {
    server,
    get root() {
      return server.root
    },
    ownRoot: '/',
    http: { address, port: 80 },
    https: { address, port: 443 },
    origin,
    port: 5252,
    pid: (role) => pidOf(server, (args) => args[0] === '/usr/lib/reeve/reeve' && args[1] === role, role),
    servicePid: (service) => pidOf(server, isFirstOf[service], service),
    panel: () => {
      signedIn ??= signIn()
      return signedIn
    },
    signIn,
    printed: () =>
      server.run('journalctl --boot --output=cat --no-pager --unit=reeve-api --unit=reeve-agent'),
    asUser: (uid) => server.enter(uid),
  }
}

/** Lets a test make the panel fail at a chosen step while it is not disposed. */
export async function allowFailpoints({
  server,
}: InstalledHost): Promise<AsyncDisposable & { armed: string }> {
  const restart = 'systemctl restart reeve-agent reeve-api'
  await server.run(`echo REEVE_FAILPOINT_FILE=/var/lib/reeve/failpoint >>/etc/reeve/reeve.env; ${restart}`)
  return {
    armed: join(server.root, 'var/lib/reeve/failpoint'),
    async [Symbol.asyncDispose]() {
      await server.run(`sed -i /^REEVE_FAILPOINT_FILE=/d /etc/reeve/reeve.env; ${restart}`)
    },
  }
}

const isFirstOf: Readonly<Record<Service, (args: readonly string[]) => boolean>> = {
  nginx: ([title = '']) => title.startsWith('nginx: master process'),
  php: ([title = '']) => title.startsWith('php-fpm: master process'),
  mariadb: ([program = '']) => program === '/usr/sbin/mariadbd',
  redis: ([program = '']) => program.startsWith('/usr/bin/redis-server'),
}

function pidOf(server: Server, isIt: (args: readonly string[]) => boolean, name: string): number {
  const found = server.processes().find((pid) => isIt(argumentsOf(pid)))
  if (found === undefined) throw new Error(`${name} does not run.`)
  return found
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return [] // It has just ended.
  }
}

/**
 * Lets the numbers of sites begin where no other server's do: a throw-away server shares this machine's user ids, and
 * whatever runs beside it would take its processes for its own.
 */
function separateSiteNumbers(root: string): void {
  const made = join(mkdtempSync('/var/tmp/reeve-registry-'), 'registry.db')
  openRegistry(made).close()
  const first = 10_000 + Math.floor(Math.random() * 25_000)
  const database = new DatabaseSync(made)
  database.prepare("INSERT INTO counters (name, value) VALUES ('site number', ?)").run(first)
  database.close()
  mkdirSync(join(root, 'var/lib/reeve-agent'), { mode: 0o700 })
  copyFileSync(made, join(root, 'var/lib/reeve-agent/registry.db'))
  rmSync(dirname(made), { recursive: true })
}
