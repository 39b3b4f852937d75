// A hybrid release: PHP files that find their neighbours by __DIR__ are real, everything big is a link to the
// shared core. Built out of the site's sight, then named by one rename.
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { run } from '../command.ts'
import type { Core } from './core.ts'
import { removeRootTree, settleTree } from './root-tree.ts'

export interface ReleaseInput {
  core: Core
  /** Does not exist yet, or is a complete release of the same site. */
  releaseDir: string
  /** Holds `uploads/` and `wp-config.php`. */
  sharedDir: string
  site: { uid: number; gid: number }
  /** Where the connector and the drop-in are installed. */
  cmsParts: string
  objectCache: boolean
  /** Folders that become `wp-content/plugins/<name>`, copied and given to the site. */
  plugins: readonly { name: string; dir: string }[]
}

/** Makes the release unless it is there; true when it was made. */
export async function buildRelease(input: ReleaseInput): Promise<boolean> {
  if (existsSync(input.releaseDir)) return false
  const work = join(dirname(input.releaseDir), `.${basename(input.releaseDir)}.partial`)
  // Nobody but root ever had a look at what an interrupted build left here.
  removeRootTree(work)
  mkdirSync(work, { mode: 0o700 })
  buildRoot(input.core.dir, work)
  buildAdmin(join(input.core.dir, 'wp-admin'), join(work, 'wp-admin'))
  linkAs(join(input.sharedDir, 'wp-config.php'), join(work, 'wp-config.php'), { uid: 0, gid: 0 })
  await buildContent(input, join(work, 'wp-content'))
  chmodSync(work, 0o755)
  renameSync(work, input.releaseDir)
  return true
}

function buildRoot(core: string, release: string): void {
  for (const name of readdirSync(core)) {
    if (name.endsWith('.php') && name !== 'wp-config-sample.php')
      copyCode(join(core, name), join(release, name))
  }
  symlinkSync(join(core, 'wp-includes'), join(release, 'wp-includes'))
}

/** These files say `require dirname( __DIR__ ) . '/wp-load.php'`, which a link would lead to the shared core. */
const realAdminFolders: readonly string[] = ['network', 'user', 'maint']

function buildAdmin(core: string, admin: string): void {
  mkdirSync(admin, { mode: 0o755 })
  for (const entry of readdirSync(core, { withFileTypes: true })) {
    const from = join(core, entry.name)
    const to = join(admin, entry.name)
    if (entry.isFile()) copyCode(from, to)
    else if (realAdminFolders.includes(entry.name)) copyFolder(from, to)
    else symlinkSync(from, to)
  }
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o755 })
  for (const name of readdirSync(from)) copyCode(join(from, name), join(to, name))
}

/** Keeps the core's mode, 0644. */
const copyCode = (from: string, to: string): void => copyFileSync(from, to, constants.COPYFILE_FICLONE)

async function buildContent(input: ReleaseInput, content: string): Promise<void> {
  const { core, site, cmsParts, sharedDir } = input
  const folders = ['', 'plugins', 'themes', 'mu-plugins', 'languages', 'upgrade'].map((name) =>
    join(content, name),
  )
  for (const folder of folders) mkdirSync(folder, { mode: 0o755 })
  for (const name of ['', 'plugins', 'themes']) {
    const silence = join(content, name, 'index.php')
    copyCode(join(core.dir, 'wp-content', name, 'index.php'), silence)
    lchownSync(silence, site.uid, site.gid)
  }
  // Links of root to files of root: nginx serves a link only when it has the same owner as its target.
  const themes = join(core.dir, 'wp-content/themes')
  symlinkSync(join(themes, core.defaultTheme), join(content, 'themes', core.defaultTheme))
  symlinkSync(
    join(cmsParts, 'connector/reeve-connector.php'),
    join(content, 'mu-plugins/reeve-connector.php'),
  )
  if (input.objectCache) linkObjectCache(cmsParts, content)
  linkAs(join(sharedDir, 'uploads'), join(content, 'uploads'), site)
  for (const plugin of input.plugins) {
    const target = join(content, 'plugins', plugin.name)
    await run('cp', ['--recursive', '--no-dereference', '--no-target-directory', '--', plugin.dir, target], {
      timeoutMs: 60_000,
    })
    settleTree(target, site.uid, site.gid)
  }
  for (const folder of folders) lchownSync(folder, site.uid, site.gid)
}

/** Root's link to the drop-in; the site may remove it, as its wp-content is its own. */
export function linkObjectCache(cmsParts: string, content: string): void {
  symlinkSync(objectCacheDropIn(cmsParts), join(content, 'object-cache.php'))
}

export const objectCacheDropIn = (cmsParts: string): string => join(cmsParts, 'object-cache/object-cache.php')

/**
 * A link with the owner of what it leads to, or `owner` while that does not exist yet. Relative, so that it also leads
 * there for who sees the site's directory as the root; the unfinished release lies as deep as the finished one.
 */
function linkAs(target: string, path: string, owner: { uid: number; gid: number }): void {
  symlinkSync(relative(dirname(path), target), path)
  const found = lstatSync(target, { throwIfNoEntry: false }) ?? owner
  lchownSync(path, found.uid, found.gid)
}
