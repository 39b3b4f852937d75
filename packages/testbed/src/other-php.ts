// A second PHP version beside the distribution's, from Debian alone: the FPM of another release in a root of its
// own, under the name where an installed one would be. Only processes of the namespace made here see it.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianRelease, makeRoot, prepareHost } from '../lab/root.ts'

export interface OtherPhp {
  /** The version of this machine, and the added one. */
  own: string
  other: string
  /** Words before a command that let it find both. */
  launcher: readonly string[]
}

const releases = { '8.2': 'bookworm', '8.4': 'trixie' } as const satisfies Record<string, DebianRelease>

/** Kept for the next run: making a root takes half a minute. Not below a folder that PHP-FPM sees its own version of. */
const cache = '/var/cache/reeve-testbed'

export async function addOtherPhp(): Promise<OtherPhp> {
  const own =
    readdirSync('/usr/sbin')
      .find((name) => /^php-fpm\d/.test(name))
      ?.slice('php-fpm'.length) ?? ''
  const other = own === '8.4' ? '8.2' : '8.4'
  const root = join(cache, `php-${other}`)
  if (!existsSync(join(root, `usr/sbin/php-fpm${other}`))) {
    await prepareHost()
    mkdirSync(cache, { recursive: true })
    const making = `${root}.${process.pid}`
    const extensions = ['mysql', 'xml', 'mbstring', 'curl', 'gd'].map((name) => `php${other}-${name}`)
    await makeRoot(making, releases[other], [`php${other}-fpm`, ...extensions])
    renameSync(making, root)
  }
  const programs = join(cache, `php-${other}-programs`)
  mkdirSync(programs, { recursive: true })
  writeFileSync(join(programs, `php-fpm${other}`), starter(root, other))
  chmodSync(join(programs, `php-fpm${other}`), 0o755)
  return { own, other, launcher: withPrograms(programs) }
}

/** Everything but the programs and libraries is this machine's: paths, users and sockets mean the same inside. */
function starter(root: string, version: string): string {
  return `#!/bin/sh
exec unshare --mount --propagation private -- /bin/sh -ec '
root=$1
shift
for folder in /*; do
  case $folder in /usr|/bin|/sbin|/lib*|/etc) continue ;; esac
  [ -d "$folder" ] && [ ! -L "$folder" ] || continue
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
mkdir -p "$root/machine"
mount --bind /etc "$root/machine"
for file in passwd group hosts resolv.conf; do
  ln -sfn "/machine/$file" "$root/etc/$file"
done
exec chroot "$root" /usr/sbin/php-fpm${version} "$@"' sh '${root}' "$@"
`
}

function withPrograms(programs: string): string[] {
  const script = `mount -t overlay overlay -o lowerdir=${programs}:/usr/sbin /usr/sbin; exec "$@"`
  return ['/usr/bin/unshare', '--mount', '--propagation', 'private', '--', '/bin/sh', '-ec', script, 'sh']
}
