// Each WordPress version once, root-owned and read-only for everybody else. A core directory is complete from the
// moment it has its name, because it gets the name by one rename.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { replaceFile, syncDirectory } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { unpack } from './archive.ts'
import { type CoreSource, type CoreVersion, parseCoreVersion } from './core-source.ts'
import { downloadArchive, latestVersion } from './official-core.ts'
import { copyTree, settleTree, syncFileSystem } from './root-tree.ts'
import { openScratch } from './scratch.ts'

export interface Core {
  version: CoreVersion
  dir: string
  /** Folder name of the theme WordPress activates when it is installed. */
  defaultTheme: string
}

export interface CoreContext {
  paths: Paths
  source: CoreSource
  lock: KeyedLock
}

/** The core of the configured source, unpacked on first use. Needs the network only for a version not yet here. */
export function ensureCore({ paths, source, lock }: CoreContext): Promise<Core> {
  return lock.hold('wordpress-core', async () => {
    mkdirSync(paths.cores, { recursive: true, mode: 0o755 })
    switch (source.kind) {
      case 'directory':
        return fromDirectory(paths, source.path)
      case 'archive':
        return fromArchive(paths, source.path)
      case 'official':
        return fromOfficial(paths, source)
    }
  })
}

/** The core of this version if it is here already. */
export function findCore(paths: Paths, version: CoreVersion): Core | undefined {
  const dir = paths.core(version)
  return existsSync(join(dir, 'wp-load.php')) ? describeCore(dir) : undefined
}

/** Versions that are unpacked, newest first. */
export function listCores(paths: Paths): CoreVersion[] {
  if (!existsSync(paths.cores)) return []
  return readdirSync(paths.cores)
    .filter((name) => parseCoreVersion(name) !== undefined && findCore(paths, name) !== undefined)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
}

async function fromDirectory(paths: Paths, path: string): Promise<Core> {
  const known = findCore(paths, describeCore(path).version)
  if (known) return known
  await using scratch = openScratch(paths.cores)
  const tree = join(scratch.dir, 'tree')
  copyTree(path, tree)
  settleTree(tree, 0, 0)
  return await adopt(paths, tree)
}

async function fromArchive(paths: Paths, path: string): Promise<Core> {
  // Which version an archive holds is known after unpacking it once; the note is bound to these very bytes.
  const { size, mtimeNs, ino } = statSync(path, { bigint: true })
  const key = createHash('sha256').update(`${path}\0${size}\0${mtimeNs}\0${ino}`).digest('hex')
  const note = join(paths.cores, '.archives', key)
  const noted = existsSync(note) ? parseCoreVersion(readFileSync(note, 'utf8').trim()) : undefined
  const known = noted && findCore(paths, noted)
  if (known) return known
  const core = await unpackCore(paths, async () => path)
  mkdirSync(dirname(note), { recursive: true, mode: 0o755 })
  replaceFile(note, `${core.version}\n`, { mode: 0o644 })
  return core
}

async function fromOfficial(
  paths: Paths,
  { version, site }: Extract<CoreSource, { kind: 'official' }>,
): Promise<Core> {
  const [newest] = listCores(paths)
  const wanted = version ?? (await latestVersion(paths, site, newest))
  const known = findCore(paths, wanted)
  if (known) return known
  try {
    const core = await unpackCore(paths, (dir) => downloadArchive(site, wanted, dir))
    if (core.version !== wanted) {
      throw new AppError('internal', `The archive of WordPress ${wanted} holds version ${core.version}.`)
    }
    return core
  } catch (error) {
    const fallback = version === undefined && newest ? findCore(paths, newest) : undefined
    if (fallback) return fallback
    throw error
  }
}

async function unpackCore(paths: Paths, archive: (dir: string) => Promise<string>): Promise<Core> {
  await using scratch = openScratch(paths.cores)
  const tree = await unpack(scratch, { archive: await archive(scratch.dir), strip: 1 })
  return await adopt(paths, tree)
}

/** Gives a settled tree its name below the cores. */
async function adopt(paths: Paths, tree: string): Promise<Core> {
  const { version } = describeCore(tree)
  const dir = paths.core(version)
  const known = findCore(paths, version)
  if (known) return known
  await syncFileSystem(tree)
  renameSync(tree, dir)
  syncDirectory(paths.cores)
  return describeCore(dir)
}

/** Throws `refused` when the directory is not a WordPress. */
export function describeCore(dir: string): Core {
  const version = constantIn(dir, 'wp-includes/version.php', /^\$wp_version = '([^']+)';/m)
  const defaultTheme = constantIn(
    dir,
    'wp-includes/default-constants.php',
    /define\( 'WP_DEFAULT_THEME', '([a-z0-9-]+)' \)/,
  )
  const parsed = version === undefined ? undefined : parseCoreVersion(version)
  const theme = defaultTheme && existsSync(join(dir, 'wp-content/themes', defaultTheme, 'style.css'))
  if (!parsed || !theme || !existsSync(join(dir, 'wp-load.php'))) {
    throw new AppError('refused', `${dir} does not hold a complete WordPress.`)
  }
  return { version: parsed, dir, defaultTheme }
}

function constantIn(dir: string, file: string, pattern: RegExp): string | undefined {
  const path = join(dir, file)
  return existsSync(path) ? pattern.exec(readFileSync(path, 'utf8'))?.[1] : undefined
}
