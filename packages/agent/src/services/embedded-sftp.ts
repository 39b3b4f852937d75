// An sshd of our own, which runs only while a site has SFTP. It lives in a view of the machine in which no directory
// above the root prefix belongs to anybody but root: sshd confines nobody below one that does.
import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { usersWithAccess } from '../access/access.ts'
import { renderSshd } from '../access/render-sshd.ts'
import { endSessions } from '../access/sessions.ts'
import type { SftpServer } from '../access/sftp-server.ts'
import { programPath, run } from '../command.ts'
import { writeManagedFile } from '../managed-file.ts'
import type { ServiceContext } from './embedded.ts'
import { superviseService } from './supervised.ts'

export interface EmbeddedSftp extends SftpServer {
  /** Open sessions end too. */
  stop(): Promise<void>
}

// The folder is opened before it is hidden, because the root prefix lies below it.
const enter = `set -e
root=$1 cover=$2
shift 2
if [ -n "$cover" ]; then
  exec 9<"$root"
  mount -t tmpfs -o mode=0755,nosuid,nodev,noexec tmpfs "$cover"
  mkdir -p "$root"
  mount --no-canonicalize --bind /proc/self/fd/9 "$root"
  exec 9<&-
fi
mkdir -p -m 0755 /run/sshd
exec "$@"`

export function embeddedSftp(context: ServiceContext): EmbeddedSftp {
  const { config, paths, registry, log } = context
  const cover = unsafeAncestor(paths.root) ?? ''
  const sshd = [programPath('sshd'), '-D', '-e', '-f', paths.sshdConf]
  const service = superviseService({
    name: 'sshd',
    identity: paths.sshdConf,
    program: '/usr/bin/unshare',
    args: [
      ...['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', enter, 'sh', paths.root, cover],
      ...sshd,
    ],
    logPath: `${paths.serviceLogs}/sshd.out.log`,
    runDirectory: `${paths.run}/services`,
    isReady: () => greets(config.sftpPort),
    readyTimeoutMs: 20_000,
    stopSignal: 'SIGTERM',
    log,
  })
  return {
    port: config.sftpPort,
    configuration: ['-f', paths.sshdConf],
    async open() {
      if (!existsSync('/run/sshd')) mkdirSync('/run/sshd', { mode: 0o755 })
      await ensureHostKey(paths.sshHostKey)
      const text = renderSshd(paths, { port: config.sftpPort })
      const file = { path: paths.sshdConf, text, mode: 0o600, renderer: 'access/sshd', siteId: null }
      const { changed } = writeManagedFile(registry, file)
      if (changed) service.signal('SIGHUP')
      await service.ensureRunning()
    },
    close: () => service.stop(),
    async stop() {
      await service.stop()
      await Promise.all(usersWithAccess(context).map(endSessions))
    },
  }
}

/** The first directory on the way to `path` that somebody other than root could change. */
function unsafeAncestor(path: string): string | undefined {
  const parent = dirname(path)
  const above = parent === path ? undefined : unsafeAncestor(parent)
  if (above !== undefined) return above
  const found = lstatSync(parent)
  return found.uid !== 0 || (found.mode & 0o022) !== 0 ? parent : undefined
}

async function ensureHostKey(path: string): Promise<void> {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'reeve', '-f', path], { timeoutMs: 20_000 })
}

/** Whether an SSH server answers there (RFC 4253 4.2). */
function greets(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: '127.0.0.1', port, timeout: 1000 })
  const answer = (isThere: boolean) => {
    resolve(isThere)
    socket.destroy()
  }
  socket.once('data', (bytes) => answer(bytes.toString('latin1').startsWith('SSH-2.0-')))
  for (const event of ['error', 'timeout', 'close']) socket.once(event, () => answer(false))
  return promise
}
