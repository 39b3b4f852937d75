// Visits the pages of a site so that they are cached before the next visitor comes, and leaves the machine to its
// visitors meanwhile.
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { cacheWarmSteps } from '@reeve/contract/cache.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import { siteUrl } from '../cms/wp-config.ts'
import type { Progress } from '../dispatch.ts'
import { findPages, mostSitemapBytes } from './sitemap.ts'
import { visitOwn } from './own-visit.ts'

const mostMs = 5 * 60_000
const pageTimeoutMs = 30_000
const mostPageBytes = 8 * 1024 * 1024
const visitors = 2
/** Problems that the log names; the rest is counted. */
const mostNamed = 20

export async function warmCache(
  { httpsPort }: { httpsPort: number },
  spec: SiteSpec,
  progress: Progress,
): Promise<{ visited: number; failed: number }> {
  if (!spec.cache.enabled || spec.type === 'static') {
    throw new AppError('refused', `${spec.domain} has no page cache to warm.`)
  }
  const signal = AbortSignal.timeout(mostMs)
  const [find, ...quarters] = cacheWarmSteps
  progress.step(find, 'running')
  const pages = await pagesOf(httpsPort, spec, signal)
  progress.log(`${pages.length} addresses found.`)
  progress.step(find, 'succeeded')
  const sum = { visited: 0, failed: 0 }
  for (const [index, step] of quarters.entries()) {
    progress.step(step, 'running')
    const part = pages.slice(
      Math.ceil((pages.length * index) / quarters.length),
      Math.ceil((pages.length * (index + 1)) / quarters.length),
    )
    await visitAll(part, httpsPort, signal, sum, progress)
    progress.step(step, 'succeeded')
  }
  if (signal.aborted) progress.log('Five minutes were up; the rest is cached when it is visited.')
  progress.log(`${sum.visited} visited, ${sum.failed} of them failed.`)
  return sum
}

function pagesOf(port: number, spec: SiteSpec, signal: AbortSignal): Promise<URL[]> {
  const names = [spec.domain, ...spec.aliases]
  return findPages(new URL(siteUrl(spec, port)), names, async (address) => {
    const limits = { port, timeoutMs: pageTimeoutMs, mostBytes: mostSitemapBytes, signal }
    const { status, body } = await visitOwn(address, limits).catch(() => ({
      status: 0,
      body: Buffer.alloc(0),
    }))
    return status === 200 ? plain(body) : undefined
  })
}

/** A file that is a gzip archive by itself and one that was compressed for the way look the same here. */
function plain(body: Buffer): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  try {
    return gunzipSync(body, { maxOutputLength: mostSitemapBytes })
  } catch {
    return Buffer.alloc(0)
  }
}

async function visitAll(
  pages: readonly URL[],
  port: number,
  signal: AbortSignal,
  sum: { visited: number; failed: number },
  progress: Progress,
): Promise<void> {
  const left = pages.values()
  const visitor = async () => {
    for (const page of left) {
      if (signal.aborted) return
      const started = Date.now()
      const problem = await visitPage(page, port, signal)
      sum.visited++
      if (problem !== undefined && ++sum.failed <= mostNamed) progress.log(`${page.pathname}: ${problem}`)
      await rest(Date.now() - started)
    }
  }
  await Promise.all(Array.from({ length: visitors }, visitor))
}

async function visitPage(page: URL, port: number, signal: AbortSignal): Promise<string | undefined> {
  try {
    const limits = { port, timeoutMs: pageTimeoutMs, mostBytes: mostPageBytes, signal }
    const { status } = await visitOwn(page, limits)
    return status < 400 ? undefined : `answered ${status}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** On a busy machine as long as the page took, so that at most half of the time is ours. */
async function rest(tookMs: number): Promise<void> {
  const isBusy = (loadavg()[0] ?? 0) > availableParallelism()
  if (isBusy) await delay(Math.min(2000, tookMs))
}
