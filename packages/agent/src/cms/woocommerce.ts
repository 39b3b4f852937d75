// WooCommerce from the configured source, kept root-owned beside the cores and copied into each shop's release.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { syncDirectory } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { unpack } from './archive.ts'
import { isTarName } from './core-source.ts'
import { downloadFile } from './download.ts'
import { copyTree, settleTree, syncFileSystem } from './root-tree.ts'
import { openScratch } from './scratch.ts'

/** The plugin's main file, as WordPress names it. */
export const woocommercePlugin = 'woocommerce/woocommerce.php'

const officialArchive = new URL('https://downloads.wordpress.org/plugin/woocommerce.latest-stable.zip')

export interface WooCommerceContext {
  paths: Paths
  /** `REEVE_WOOCOMMERCE_SOURCE`: a folder or archive with `woocommerce/woocommerce.php`; the official one if absent. */
  source: string | undefined
  lock: KeyedLock
}

/** A root-owned folder to be given to `buildRelease` as the plugin `woocommerce`. */
export function ensureWooCommerce({ paths, source, lock }: WooCommerceContext): Promise<string> {
  return lock.hold('woocommerce', async () => {
    const cache = join(paths.cores, '.woocommerce')
    mkdirSync(cache, { recursive: true, mode: 0o755 })
    const dir = join(cache, source === undefined ? 'official' : keyOf(source))
    if (existsSync(dir)) return dir
    await using scratch = openScratch(paths.cores)
    const tree = await fetchTree(source, scratch)
    await syncFileSystem(tree)
    renameSync(tree, dir)
    syncDirectory(cache)
    return dir
  })
}

/** Changes when the source is replaced. */
function keyOf(source: string): string {
  const problem = (what: string) =>
    new AppError(
      'refused',
      `REEVE_WOOCOMMERCE_SOURCE is "${source}", which ${what}. Correct it and start again.`,
    )
  if (!isAbsolute(source)) throw problem('is not an absolute path')
  if (!existsSync(source)) throw problem('does not exist')
  const found = statSync(source, { bigint: true })
  const main = found.isDirectory() ? mainFileOf(source) : undefined
  if (found.isDirectory() && !main) throw problem(`holds no ${woocommercePlugin}`)
  if (!found.isDirectory() && !isTarName(source) && !source.endsWith('.zip')) {
    throw problem('is neither a folder nor a .zip, .tar.gz or .tar.xz archive')
  }
  const { size, mtimeNs, ino } = main ? statSync(main, { bigint: true }) : found
  return createHash('sha256').update(`${source}\0${size}\0${mtimeNs}\0${ino}`).digest('hex').slice(0, 32)
}

const mainFileOf = (dir: string): string | undefined =>
  [join(dir, woocommercePlugin), join(dir, basename(woocommercePlugin))].find((path) => existsSync(path))

async function fetchTree(
  source: string | undefined,
  scratch: ReturnType<typeof openScratch>,
): Promise<string> {
  if (source !== undefined && statSync(source).isDirectory()) {
    const tree = join(scratch.dir, 'tree')
    const inner = join(source, 'woocommerce')
    copyTree(existsSync(join(inner, 'woocommerce.php')) ? inner : source, tree)
    settleTree(tree, 0, 0)
    return tree
  }
  const archive = source ?? (await downloadOfficial(scratch.dir))
  const unpacked = await unpack(scratch, { archive, strip: 0 })
  if (!existsSync(join(unpacked, woocommercePlugin))) {
    throw new AppError('refused', `${archive} holds no ${woocommercePlugin}; no shop was made from it.`)
  }
  return join(unpacked, 'woocommerce')
}

async function downloadOfficial(dir: string): Promise<string> {
  const path = join(dir, 'download.zip')
  // WordPress.org publishes no checksum of plugin archives; TLS is what vouches for this one.
  await downloadFile(officialArchive, path, { timeoutMs: 300_000, maxBytes: 128 * 1024 * 1024 })
  return path
}
