// The user, the directories and the copy of the program that both processes run from. The copy exists because
// user `reeve` may not be able to read the checkout, and so that a build never changes what is running.
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const userName = 'reeve'

export interface Account {
  uid: number
  gid: number
}

export interface Program {
  node: string
  script: string
  web: string
  cms: string
}

export async function ensureAccount(): Promise<Account> {
  const existing = await findAccount()
  if (existing) return existing
  const args = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent']
  await execute('/usr/sbin/useradd', [...args, '--shell', '/usr/sbin/nologin', userName]).catch(
    () => undefined,
  )
  const created = await findAccount()
  if (!created)
    throw new Error(`useradd could not create the system user "${userName}"; create it and start again.`)
  return created
}

async function findAccount(): Promise<Account | undefined> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith(`${userName}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

export async function ensureDirectories(root: string, account: Account): Promise<void> {
  for (const shared of [
    '',
    'run',
    'usr',
    'usr/lib',
    'usr/lib/reeve',
    'var',
    'var/lib',
    'var/log',
    'var/log/reeve',
  ]) {
    await ensureDirectory(join(root, shared), 0o755, 0, 0)
  }
  await ensureDirectory(join(root, 'var/lib/reeve'), 0o700, account.uid, account.gid)
  await ensureDirectory(join(root, 'var/lib/reeve-agent'), 0o700, 0, 0)
  await ensureDirectory(join(root, 'run/reeve'), 0o750, 0, account.gid)
}

async function ensureDirectory(path: string, mode: number, uid: number, gid: number): Promise<void> {
  await mkdir(path, { recursive: true })
  const found = await lstat(path)
  if (!found.isDirectory()) throw new Error(`${path} must be a directory; move what is there out of the way.`)
  if (found.uid !== uid || found.gid !== gid) await chown(path, uid, gid)
  if ((found.mode & 0o7777) !== mode) await chmod(path, mode)
}

export async function installProgram(root: string, dist: string): Promise<Program> {
  const home = join(root, 'usr/lib/reeve')
  for (const part of ['web', 'cms']) await replaceTree(join(dist, part), join(home, part))
  await replaceFile(join(dist, 'reeve.cjs'), join(home, 'reeve.cjs'), 0o644)
  await installNode(join(home, 'node'))
  return {
    node: join(home, 'node'),
    script: join(home, 'reeve.cjs'),
    web: join(home, 'web'),
    cms: join(home, 'cms'),
  }
}

async function installNode(target: string): Promise<void> {
  const source = await realpath(process.execPath)
  const wanted = await stat(source)
  const present = await stat(target).catch(() => undefined)
  if (present?.size === wanted.size && present.mtimeMs === wanted.mtimeMs) return
  await replaceFile(source, target, 0o755)
  await utimes(target, wanted.atime, wanted.mtime)
}

async function replaceFile(source: string, target: string, mode: number): Promise<void> {
  const next = `${target}.new`
  await copyFile(source, next, constants.COPYFILE_FICLONE)
  await chmod(next, mode)
  await rename(next, target)
}

async function replaceTree(source: string, target: string): Promise<void> {
  const next = `${target}.new`
  const old = `${target}.old`
  await rm(next, { recursive: true, force: true })
  await copyTree(source, next)
  await rm(old, { recursive: true, force: true })
  await rename(target, old).catch(() => undefined)
  await rename(next, target)
  await rm(old, { recursive: true, force: true })
}

/** With modes of its own: a checkout made under a strict umask is closed to user `reeve`. */
async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target, { mode: 0o755 })
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) await copyTree(from, to)
    else await replaceFile(from, to, 0o644)
  }
}
