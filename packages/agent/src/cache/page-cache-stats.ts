// How often visitors got a stored page, by the end of each line of the access log (`log_format reeve`).
import { open, stat } from 'node:fs/promises'
import type { CacheStats } from '@reeve/contract/cache.ts'
import { storedFiles } from './stored-pages.ts'

type PageCacheStats = NonNullable<CacheStats['page_cache']>

const tailBytes = 512 * 1024

export async function pageCacheStats(accessLog: string, directory: string): Promise<PageCacheStats> {
  const [counted, stored] = await Promise.all([readTail(accessLog).then(countLines), measure(directory)])
  return { ...counted, ...stored }
}

async function readTail(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    const start = Math.max(0, size - tailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const text = buffer.toString('latin1', 0, bytesRead)
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } catch {
    return '' // No visitor yet, or the log was just rotated.
  }
}

const outcomes: Readonly<Record<string, 'hits' | 'misses' | 'bypassed'>> = {
  HIT: 'hits',
  STALE: 'hits',
  UPDATING: 'hits',
  REVALIDATED: 'hits',
  MISS: 'misses',
  EXPIRED: 'misses',
  BYPASS: 'bypassed',
}

export function countLines(text: string): Omit<PageCacheStats, 'files' | 'bytes'> {
  const counts = { hits: 0, misses: 0, bypassed: 0 }
  let since: string | null = null
  for (const line of text.split('\n')) {
    // The last word is nginx's own; quotes in what a visitor sent are escaped.
    const outcome = outcomes[line.slice(line.lastIndexOf(' ') + 1)]
    if (outcome === undefined) continue
    counts[outcome]++
    since ??= timeOf(line)
  }
  return { ...counts, since }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `[21/Nov/2026:18:44:05 +0000]` as RFC 3339 in UTC. */
function timeOf(line: string): string | null {
  const found = /\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\]/.exec(line)
  if (!found) return null
  const [, day, month = '', year, time, hours, minutes] = found
  const number = String(months.indexOf(month) + 1).padStart(2, '0')
  const date = new Date(`${year}-${number}-${day}T${time}${hours}:${minutes}`)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

async function measure(directory: string): Promise<{ files: number; bytes: number }> {
  const sum = { files: 0, bytes: 0 }
  for (const path of await storedFiles(directory)) {
    const found = await stat(path).catch(() => undefined)
    if (!found) continue
    sum.files++
    sum.bytes += found.size
  }
  return sum
}
