// The view of the machine that PHP-FPM and the code of all sites get. A pool's processes see those of their own
// user only; no System V object can be made, whose usual mode is open to everybody; and a file in one of the
// folders where anybody may write belongs to its maker alone, whatever mode a program asks for by default.
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.ts'
import type { Paths } from '../paths.ts'

const covered = ['/tmp', '/var/tmp', '/dev/shm']

// Opened before they are hidden: the root prefix may itself lie below one of the covered folders.
const enter = `set -e
root=$1 tmp=$2 isHidden=$3
shift 3
exec 8<"$tmp" 9<"$root"
mount -t proc -o hidepid=invisible,nosuid,nodev,noexec proc /proc
echo 0 >/proc/sys/kernel/shmmni
echo 0 >/proc/sys/kernel/msgmni
echo 0 0 0 0 >/proc/sys/kernel/sem
for folder in ${covered.join(' ')}; do
  mount --no-canonicalize --bind /proc/self/fd/8 "$folder"
done
if [ "$isHidden" = yes ]; then mount --no-canonicalize --bind /proc/self/fd/9 "$root"; fi
exec 8<&- 9<&-
exec "$@"`

/** Arguments of unshare(1) that run `master` in a namespace of its own. */
export async function inNamespace(paths: Paths, master: readonly string[]): Promise<string[]> {
  const isHidden = await ensureTemporary(paths)
  return [
    ...['--mount', '--ipc', '--propagation', 'private', '--'],
    ...['/bin/sh', '-c', enter, 'sh', paths.root, paths.phpTemporary, isHidden ? 'yes' : 'no'],
    ...master,
  ]
}

/** Tells whether the root prefix lies below a covered folder; then its place is made in what covers it. */
async function ensureTemporary(paths: Paths): Promise<boolean> {
  const { phpTemporary, root } = paths
  mkdirSync(phpTemporary, { recursive: true, mode: 0o700 })
  // A default ACL takes the place of the umask. Nobody lists the folder, so that names stay private too.
  await run('setfacl', ['--modify', 'd:u::rwx,d:g::---,d:o::---', '--', phpTemporary], { timeoutMs: 5000 })
  chmodSync(phpTemporary, 0o1733)
  const folder = covered.find((path) => root.startsWith(`${path}/`))
  if (folder === undefined) return false
  let place = phpTemporary
  for (const name of root.slice(folder.length + 1).split('/')) {
    place = join(place, name)
    mkdirSync(place, { recursive: true, mode: 0o711 })
    const found = lstatSync(place)
    if (!found.isDirectory() || found.uid !== 0) throw new Error(`${place} is not a directory of root`)
    chmodSync(place, 0o711)
  }
  return true
}
