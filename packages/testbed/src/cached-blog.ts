// A hosted WordPress whose page cache a test watches: what is stored, and what a change of content takes out.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStoredPage, storedFiles } from '../../agent/src/cache/stored-pages.ts'
import { until } from '../web-server/visit.ts'
import type { Tenant } from './isolation/tenant.ts'
import type { Reeve } from './reeve.ts'
import { type Page, visit } from './visitor.ts'
import { runCode } from './wordpress-code.ts'

export interface CachedBlog {
  see(path: string, headers?: Record<string, string>): Promise<Page>
  /** Made anew: the header sends a request around the cache. */
  seeFresh(path: string): Promise<Page>
  /** Paths of the pages that are stored, uncompressed ones and compressed ones as one. */
  storedPaths(): Promise<Set<string>>
  /** Visits pages until they are stored: what an earlier change purges may still be on its way. */
  store(...paths: string[]): Promise<void>
  /** Runs the code and waits until the purge it causes has ended; PHP sends it after its answer. */
  changing<Result>(code: string): Promise<Result>
}

/** A page that every change purges beside its own, to tell that its purge was carried out. */
const marker = '/marker/'

/** `installCode` has to come before. */
export async function openCachedBlog(reeve: Reeve, tenant: Tenant): Promise<CachedBlog> {
  const see = (path: string, headers: Record<string, string> = {}) =>
    visit(tenant.domain, { port: reeve.httpsPort, path, headers })

  async function storedPaths(): Promise<Set<string>> {
    const files = await storedFiles(join(reeve.root, 'var/cache/nginx/reeve', tenant.id))
    const pages = await Promise.all(files.map((path) => readStoredPage(path)))
    return new Set(pages.flatMap((page) => page?.key.replace(/^https?[^/]*/, '').replace(/gzip$/, '') ?? []))
  }

  async function store(...paths: string[]): Promise<void> {
    const areStored = async () => {
      const stored = await storedPaths()
      const missing = paths.filter((path) => !stored.has(path))
      for (const path of missing) await see(path)
      return missing.length === 0
    }
    if (!(await until(areStored, 60_000))) throw new Error(`not stored: ${paths.join(' ')}`)
  }

  /** How often the agent has ended a purge. */
  const purges = () =>
    readFileSync(join(reeve.root, 'var/log/reeve/agent.log'), 'utf8').split(' cache.purge ms=').length

  async function changing<Result>(code: string): Promise<Result> {
    await store(marker)
    const before = purges()
    const address = `array( home_url( '${marker}' ) )`
    const result = await runCode<Result>(
      reeve,
      tenant,
      `add_filter( 'reeve_purge_urls', fn( $urls ) => array_merge( $urls, ${address} ) ); ${code}`,
    )
    const isPurged = async () => purges() > before && !(await storedPaths()).has(marker)
    if (!(await until(isPurged, 60_000))) throw new Error(`nothing was purged by: ${code}`)
    return result
  }

  const page = { post_type: 'page', post_title: 'Marker', post_status: 'publish' }
  const before = purges()
  await runCode(reeve, tenant, `return wp_insert_post( json_decode( '${JSON.stringify(page)}', true ) );`)
  if (!(await until(() => purges() > before, 60_000))) throw new Error('a new page purged nothing')
  return { see, seeFresh: (path) => see(path, { 'x-reeve-probe': 'unsigned' }), storedPaths, store, changing }
}

/** Four at a time. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}
