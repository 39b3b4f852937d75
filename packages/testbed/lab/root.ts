// Roots of fresh servers, Debian's from the mirror that this host uses.
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execute } from './execute.ts'

export type DebianRelease = 'bookworm' | 'trixie'
/** Ubuntu 24.04 is `noble`. */
export type Release = DebianRelease | 'noble'

const tools = {
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  nft: 'nftables',
  ip: 'iproute2',
  nsenter: 'util-linux',
  mke2fs: 'e2fsprogs',
  losetup: 'mount',
  perl: 'perl-base',
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
  await tryDisk().catch((error: unknown) => {
    throw new Error(
      `This host cannot run throw-away servers: it does not let root mount a disk image in a namespace of its own. Run the tests on a virtual machine, or in a privileged container that has the host's /dev. ${String(error)}`,
    )
  })
}

/** What a server needs of this host, in small. */
async function tryDisk(): Promise<void> {
  const folder = mkdtempSync('/var/tmp/reeve-disk-')
  const script = 'truncate -s 8M disk && mke2fs -q -t ext4 disk && mkdir root && mount -o loop disk root'
  try {
    await execute('unshare', ['--mount', 'sh', '-ec', `cd ${folder}; ${script}`])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A root with the essential packages and `packages`, as a hosting company's image has few more. */
export async function makeRoot(path: string, release: Release, packages: readonly string[]): Promise<void> {
  const { sources, options: own } = await archiveOf(release, path)
  const options = ['Acquire::Languages "none"', 'Acquire::Retries "3"'].map((option) => `--aptopt=${option}`)
  await execute(
    'mmdebstrap',
    [
      ...['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', ...options, ...own],
      ...['--dpkgopt=path-exclude=/usr/share/man/*', '--dpkgopt=path-exclude=/usr/share/locale/*'],
      ...[`--include=${packages.join(',')}`, release, path, ...sources],
    ],
    { timeoutMs: 600_000 },
  )
  // mmdebstrap leaves the folder closed when a temporary one was given.
  chmodSync(path, 0o755)
}

interface Archive {
  /** Lines of sources.list. */
  sources: string[]
  /** What mmdebstrap must know of it. */
  options: string[]
}

async function archiveOf(release: Release, path: string): Promise<Archive> {
  if (release === 'noble') {
    const mirror = 'http://archive.ubuntu.com/ubuntu'
    const pockets = [release, `${release}-updates`, `${release}-security`]
    return {
      sources: pockets.map((pocket) => `deb ${mirror} ${pocket} main universe`),
      // Ubuntu does not count apt among what is essential, and every image of it has it.
      options: [`--keyring=${await ubuntuKeyring(path)}`, '--include=apt'],
    }
  }
  const mirror = mirrorOf('debian')
  return {
    sources: [
      `deb ${mirror} ${release} main`,
      `deb ${mirror} ${release}-updates main`,
      `deb ${mirrorOf('debian-security')} ${release}-security main`,
    ],
    options: [],
  }
}

/** Debian 12 has no package of it. The checksum is what noble's signed index says. */
async function ubuntuKeyring(beside: string): Promise<string> {
  const folder = `${beside}.keyring`
  const name = 'ubuntu-keyring_2023.11.28.1_all.deb'
  const checksum = '36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8'
  mkdirSync(folder)
  await execute('sh', [
    '-euc',
    `cd "$1"; curl -fsS --retry 3 -o "$2" "https://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/$2"
     echo "$3  $2" | sha256sum --check --quiet --strict; dpkg-deb -x "$2" .`,
    ...['sh', folder, name, checksum],
  ])
  return join(folder, 'usr/share/keyrings/ubuntu-archive-keyring.gpg')
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

/** Makes the root a disk and removes it. The disk takes as much of this host as is written to it. */
export async function makeDisk(root: string, disk: string): Promise<void> {
  const options = ['-q', '-t', 'ext4', '-E', 'lazy_itable_init=1,lazy_journal_init=1']
  await execute('mke2fs', [...options, '-d', root, disk, '20G'], { timeoutMs: 120_000 })
  await execute('rm', ['-rf', '--one-file-system', root])
}

/** A second server from a disk that did not boot yet, at an address of its own. */
export async function copyDisk(disk: string, copy: string, from: Place, to: Place): Promise<void> {
  await execute('cp', ['--sparse=always', disk, copy])
  const folder = `${copy}.root`
  mkdirSync(folder, { recursive: true })
  const script = `mount -o loop "$1" "$2"
    sed -i "s/\\b$3\\b/$4/; s/\\b$5\\b/$6/" "$2/etc/hosts" "$2/etc/hostname" "$2/etc/systemd/network/10-host0.network"
    umount "$2"`
  const edit = ['sh', copy, folder, from.address, to.address, from.name, to.name]
  await execute('unshare', ['--mount', 'sh', '-euc', script, ...edit])
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
