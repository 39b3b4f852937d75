// Roots of fresh Debian servers, made from the mirror that this host uses.
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './execute.ts'

export type DebianRelease = 'bookworm' | 'trixie'

const tools = {
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  nft: 'nftables',
  ip: 'iproute2',
  nsenter: 'util-linux',
} as const

/** Installs what the lab needs on this host, and says what is wrong with a host that can run no server. */
export async function prepareHost(): Promise<void> {
  const places = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']
  const missing = Object.entries(tools)
    .filter(([tool]) => !places.some((place) => existsSync(join(place, tool))))
    .map(([, name]) => name)
  if (missing.length > 0) {
    const apt = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300']
    await execute('apt-get', [...apt, 'update'], { timeoutMs: 120_000 })
    await execute('apt-get', [...apt, 'install', '--no-install-recommends', ...missing], {
      timeoutMs: 240_000,
    })
  }
  await execute('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).catch((error: unknown) => {
    throw new Error(
      `This host cannot run throw-away servers: it lets root mount nothing in a namespace of its own. Run the tests on a virtual machine or in a privileged container. ${String(error)}`,
    )
  })
}

/** A root with the essential packages and `packages`, as a hosting company's image has few more. */
export async function makeRoot(
  path: string,
  release: DebianRelease,
  packages: readonly string[],
): Promise<void> {
  const mirror = mirrorOf('debian')
  const options = ['Acquire::Languages "none"', 'Acquire::Retries "3"'].map((option) => `--aptopt=${option}`)
  await execute(
    'mmdebstrap',
    [
      ...['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', ...options],
      ...['--dpkgopt=path-exclude=/usr/share/man/*', '--dpkgopt=path-exclude=/usr/share/locale/*'],
      ...[`--include=${packages.join(',')}`, release, path],
      ...[
        `deb ${mirror} ${release} main`,
        `deb ${mirror} ${release}-updates main`,
        `deb ${mirrorOf('debian-security')} ${release}-security main`,
      ],
    ],
    { timeoutMs: 240_000 },
  )
  // mmdebstrap leaves the folder closed when a temporary one was given.
  chmodSync(path, 0o755)
}

/** What a server has that can boot and be reached; the rest is the installer's matter. */
export const serverPackages = [
  ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'iproute2', 'netbase', 'ca-certificates'],
]

export interface Place {
  /** Host name. */
  name: string
  address: string
  gateway: string
}

/** What a hosting company sets before the first boot. */
export async function configureRoot(path: string, place: Place): Promise<void> {
  const { name, address, gateway } = place
  writeFileSync(join(path, 'etc/hostname'), `${name}\n`)
  writeFileSync(join(path, 'etc/hosts'), `127.0.0.1 localhost\n${address} ${name}\n`)
  writeFileSync(join(path, 'etc/machine-id'), '')
  const resolved = '/run/systemd/resolve/resolv.conf'
  cpSync(existsSync(resolved) ? resolved : '/etc/resolv.conf', join(path, 'etc/resolv.conf'), {
    dereference: true,
  })
  mkdirSync(join(path, 'etc/systemd/network'), { recursive: true })
  writeFileSync(
    join(path, 'etc/systemd/network/10-host0.network'),
    `[Match]\nName=host0\n[Network]\nAddress=${address}/24\nGateway=${gateway}\n`,
  )
  const chroot = (...command: string[]) => execute('chroot', [path, ...command])
  await chroot('systemctl', '--quiet', 'enable', 'systemd-networkd')
  await chroot('systemctl', '--quiet', 'disable', 'systemd-networkd-wait-online')
}

/** The address this host's apt uses for one of Debian's archives, else Debian's own. */
function mirrorOf(archive: 'debian' | 'debian-security'): string {
  const words = globSync('/etc/apt/{sources.list,sources.list.d/*.sources,sources.list.d/*.list}')
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => /^(deb|URIs:)\s/.test(line))
    .flatMap((line) => line.split(/\s+/))
  const found = words.find((word) => /^https?:/.test(word) && word.replace(/\/$/, '').endsWith(`/${archive}`))
  return found?.replace(/\/$/, '') ?? `http://deb.debian.org/${archive}`
}
