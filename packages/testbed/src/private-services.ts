// MariaDB and Redis of a test's own: their files below one directory, Unix sockets only, ended with the test.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface PrivateService extends AsyncDisposable {
  socket: string
  stop(): Promise<void>
}

/** A directory that service users can traverse; removed with everything in it. */
export function privateRoot(): Disposable & { path: string } {
  const path = mkdtempSync('/var/tmp/reeve-test-')
  chmodSync(path, 0o755)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** MariaDB with root by socket. `socket` may lie anywhere below `root`. */
export async function startMariadb(root: string, socket: string): Promise<PrivateService> {
  const data = join(root, 'mariadb-data')
  mkdirSync(dirname(socket), { recursive: true, mode: 0o755 })
  own(dirname(socket), 'mysql')
  const options = [`--datadir=${data}`, '--user=mysql', '--innodb-flush-log-at-trx-commit=2']
  execFileSync('mariadb-install-db', [
    '--no-defaults',
    ...options,
    '--skip-test-db',
    '--auth-root-authentication-method=socket',
  ])
  const small = ['--performance-schema=OFF', '--innodb-buffer-pool-size=64M', '--skip-networking']
  const quiet = [`--pid-file=${join(data, 'mariadb.pid')}`, '--log-warnings=0']
  return start(root, socket, 'mariadbd', [
    '--no-defaults',
    ...options,
    ...small,
    ...quiet,
    `--socket=${socket}`,
  ])
}

/** Redis with the given ACL lines, e.g. `user site-1 on >secret ~site-1:* +get`. */
export async function startRedis(
  root: string,
  socket: string,
  acl: readonly string[],
): Promise<PrivateService> {
  mkdirSync(dirname(socket), { recursive: true, mode: 0o755 })
  const aclFile = join(root, 'redis.acl')
  writeFileSync(aclFile, acl.map((line) => `${line}\n`).join(''))
  const listen = ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '777']
  const keepNothing = ['--save', '', '--appendonly', 'no', '--dir', root]
  return start(root, socket, 'redis-server', [...listen, ...keepNothing, '--aclfile', aclFile])
}

async function start(
  root: string,
  socket: string,
  program: string,
  args: readonly string[],
): Promise<PrivateService> {
  const log = openSync(join(root, `${program}.out`), 'a')
  const child = spawn(program, args, { stdio: ['ignore', log, log] })
  const exited = once(child, 'exit')
  for (let waitedMs = 0; !(await answers(socket)); waitedMs += 20) {
    if (child.exitCode !== null || child.signalCode !== null || waitedMs > 20_000) {
      child.kill('SIGKILL')
      throw new Error(`${program} did not open ${socket}; see ${root}`)
    }
    await delay(20)
  }
  const stop = () => end(child, exited)
  return { socket, stop, [Symbol.asyncDispose]: stop }
}

async function answers(socket: string): Promise<boolean> {
  const connection = connect(socket)
  try {
    await once(connection, 'connect')
    return true
  } catch {
    return false
  } finally {
    connection.destroy()
  }
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await exited
  clearTimeout(force)
}

function own(path: string, user: string): void {
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, user], { encoding: 'utf8' })),
  )
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}
