// Takes pages out of a site's page cache. When it returns, no visitor gets a page that was stored before, and a
// page of WordPress that was being made meanwhile is not stored.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { PurgeTarget } from '@reeve/contract/cache.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { isCms, type SiteSpec } from '@reeve/contract/sites.ts'
import { replaceFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import type { NginxFeatures } from '../web-server/render-listen.ts'
import { keysOf, ownTargets, storedPath } from './keys.ts'
import { readStoredPage, storedFiles } from './stored-pages.ts'

export interface PurgeHost {
  paths: Paths
  nginxFeatures: NginxFeatures
}

/** Beyond this many, removing the files and waiting for nginx to notice is quicker than asking for each. */
const askAtMost = 2000

/** `open_file_cache_valid 1s`, and nginx counts in whole seconds. */
const openFilesForgottenMs = 1200

/** What PHP had finished before the mark changed is stored by nginx within this. */
const storingMs = 100

/** How many addresses were cached and are not any more; null after a purge of everything. */
export async function purgePages(
  host: PurgeHost,
  spec: SiteSpec,
  target: PurgeTarget,
): Promise<number | null> {
  // Read before anything changes, so that a foreign host refuses the whole call.
  const wanted = wantedPages(host.paths, spec, target)
  if (isCms(spec.type)) changePurgeMark(host.paths, spec)
  const first = await removePages(host, spec.id, await wanted())
  await delay(storingMs)
  const second = await removePages(host, spec.id, await wanted())
  if ('all' in target) return null
  return new Set([...first, ...second].map((key) => key.replace(/^https?/, '').replace(/gzip$/, ''))).size
}

/**
 * WordPress reads the mark when a request begins and again when its page is finished: a page that was begun
 * before a purge may show what was there before, and is not stored.
 */
function changePurgeMark(paths: Paths, spec: SiteSpec): void {
  replaceFile(paths.purgeMark(spec.domain), `${randomUUID()}\n`, { mode: 0o644 })
}

interface Page {
  key: string
  path: string
}

/** Says which stored pages the target means, now; asked again for what was stored meanwhile. */
function wantedPages(paths: Paths, spec: SiteSpec, target: PurgeTarget): () => Promise<Page[]> {
  const directory = paths.pageCache(spec.id)
  if ('all' in target) return () => readAll(directory, () => true)
  const names = [spec.domain, ...spec.aliases]
  const keys = new Set(
    target.urls.flatMap((url) => ownTargets(names, url)).flatMap((part) => keysOf(names, part)),
  )
  const pages = [...keys].map((key) => ({ key, path: storedPath(directory, key) }))
  const listings = new Set(target.listings)
  return async () => [
    ...pages.filter(({ path }) => existsSync(path)),
    ...(listings.size === 0
      ? []
      : await readAll(directory, (shown) => shown.some((kind) => listings.has(kind)))),
  ]
}

async function readAll(
  directory: string,
  isMeant: (listings: readonly string[]) => boolean,
): Promise<Page[]> {
  const found: Page[] = []
  await inParallel(await storedFiles(directory), 32, async (path) => {
    const page = await readStoredPage(path)
    if (page && isMeant(page.listings)) found.push(page)
  })
  return found
}

/** Returns the keys that were stored. */
async function removePages(host: PurgeHost, id: SiteId, pages: readonly Page[]): Promise<string[]> {
  if (pages.length === 0) return []
  const asked =
    host.nginxFeatures.purgeModule && pages.length <= askAtMost
      ? await askNginx(host, id, pages)
      : 'nobody answers'
  if (asked !== 'nobody answers') return asked
  await inParallel(pages, 32, ({ path }) => unlink(path).catch(ignoreMissing))
  await delay(openFilesForgottenMs)
  return pages.map(({ key }) => key)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Returns the keys that were stored. */
async function askNginx(
  { paths }: PurgeHost,
  id: SiteId,
  pages: readonly Page[],
): Promise<string[] | 'nobody answers'> {
  const removed: string[] = []
  try {
    await inParallel(pages, 8, async ({ key }) => {
      if (await askOnce(paths.nginxStatusSocket, id, key)) removed.push(key)
    })
    return removed
  } catch (error) {
    // It is not running, or dies now: there is only the disk to clear, which it reads when it starts.
    if (error instanceof AppError) throw error
    return 'nobody answers'
  }
}

/** True when the page was stored; false when it was not, or not any more. Rejects with an Error without an answer. */
function askOnce(socketPath: string, id: SiteId, key: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const call = request({
    agent: false,
    socketPath,
    path: '/',
    headers: { host: id, 'x-reeve-key': key },
    timeout: 10_000,
  })
  call.on('response', (response) => {
    response.resume()
    response.on('end', () => {
      const { statusCode } = response
      if (statusCode === 200 || statusCode === 404 || statusCode === 412) return resolve(statusCode === 200)
      return reject(new AppError('internal', `The web server answered a purge with ${statusCode}.`))
    })
    response.on('error', reject)
  })
  call.on('timeout', () => call.destroy(new Error('no answer within 10 s')))
  call.on('error', reject)
  call.end()
  return promise
}

async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}
