// Which pages a site says it has: robots.txt names sitemaps, sitemaps name pages or further sitemaps
// (sitemaps.org/protocol.html). All of it is the site's own text and read as such: no entity but the five of XML and
// characters by number, nothing beyond the limits, no address of another site.
import { gunzipSync } from 'node:zlib'

export const mostPages = 2000
const mostSitemaps = 50
export const mostSitemapBytes = 10 * 1024 * 1024

/** Bytes at this address of the site, or undefined when there is no such file. */
export type Fetch = (address: URL) => Promise<Buffer | undefined>

const usualSitemaps = ['/wp-sitemap.xml', '/sitemap.xml', '/sitemap_index.xml']

/** Addresses on the given names alone, the front page first. */
export async function findPages(origin: URL, names: readonly string[], fetch: Fetch): Promise<URL[]> {
  const own = (address: string, base: URL) => ownAddress(address, base, names)
  const pages = new Map<string, URL>([[keyOf(new URL('/', origin)), new URL('/', origin)]])
  const robots = await fetch(new URL('/robots.txt', origin))
  const named = sitemapsOf(robots?.toString('utf8') ?? '').flatMap((line) => own(line, origin))
  const waiting = named.length > 0 ? named : usualSitemaps.map((path) => new URL(path, origin))
  const isGuessed = named.length === 0
  const seen = new Set<string>()
  for (const address of waiting) {
    if (seen.size >= mostSitemaps || pages.size >= mostPages) break
    if (seen.has(keyOf(address))) continue
    seen.add(keyOf(address))
    const text = textOf(await fetch(address))
    if (text === undefined) continue
    const found = locations(text).flatMap((line) => own(line, address))
    // Appended while the loop goes on: that is how an index is followed.
    if (/<sitemapindex[\s>]/i.test(text.slice(0, 4000))) waiting.push(...found)
    else for (const page of found) if (pages.size < mostPages) pages.set(keyOf(page), page)
    // One guess that was right is enough; what it named is at the end of the list.
    if (isGuessed && found.length > 0)
      for (const path of usualSitemaps) seen.add(keyOf(new URL(path, origin)))
  }
  return [...pages.values()]
}

const keyOf = (address: URL) => address.host + address.pathname + address.search

function ownAddress(text: string, base: URL, names: readonly string[]): URL[] {
  const address = URL.parse(text, base)
  if (!address || !/^https?:$/.test(address.protocol) || !names.includes(address.hostname)) return []
  address.protocol = base.protocol
  address.port = base.port
  address.username = ''
  address.password = ''
  address.hash = ''
  return [address]
}

export function sitemapsOf(robots: string): string[] {
  return robots
    .slice(0, 500_000)
    .split(/\r?\n|\r/)
    .flatMap((line) => /^\s{0,20}sitemap\s{0,20}:\s{0,20}(\S{1,2000})/i.exec(line)?.[1] ?? [])
    .slice(0, mostSitemaps)
}

function textOf(bytes: Buffer | undefined): string | undefined {
  if (!bytes || bytes.length > mostSitemapBytes) return undefined
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8')
  try {
    return gunzipSync(bytes, { maxOutputLength: mostSitemapBytes }).toString('utf8')
  } catch {
    return undefined // Broken, or it grows beyond what a sitemap may have.
  }
}

/** Text of the `loc` elements; pictures have a prefix before theirs. */
export function locations(xml: string): string[] {
  const found: string[] = []
  const pattern =
    /<loc>\s{0,100}(?:<!\[CDATA\[\s{0,100})?([^<>\]\s]{1,2000})\s{0,100}(?:\]\]>\s{0,100})?<\/loc>/g
  for (const [, text = ''] of xml.matchAll(pattern)) {
    found.push(decodeEntities(text))
    if (found.length >= 50_000) break
  }
  return found
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:([a-z]{2,4})|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, (whole, name, decimal, hex) => {
    if (name !== undefined) return entities[String(name)] ?? whole
    const point = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole
  })
}
