import { randomBytes, randomInt } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { findPages, locations, mostPages, mostSitemapBytes, sitemapsOf } from './sitemap.ts'

const origin = new URL('https://example.com:8443')
const names = ['example.com', 'www.example.com']

const urlset = (addresses: readonly string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${addresses
    .map((address) => `<url><loc>${address}</loc></url>`)
    .join('')}</urlset>`
const index = (addresses: readonly string[]) =>
  `<sitemapindex>${addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`).join('')}</sitemapindex>`

async function find(
  files: Readonly<Record<string, string | Buffer>>,
): Promise<{ found: string[]; asked: string[] }> {
  const asked: string[] = []
  const pages = await findPages(origin, names, async (address) => {
    asked.push(address.href)
    const file = files[address.pathname]
    return file === undefined ? undefined : Buffer.from(file)
  })
  return { found: pages.map(({ href }) => href), asked }
}

test('a site without a sitemap has its front page', async () => {
  const { found, asked } = await find({})
  expect(found).toEqual(['https://example.com:8443/'])
  expect(asked.map((address) => new URL(address).pathname)).toEqual([
    '/robots.txt',
    '/wp-sitemap.xml',
    '/sitemap.xml',
    '/sitemap_index.xml',
  ])
})

test('an index is followed, also a compressed one and one that robots.txt names', async () => {
  const files = {
    '/robots.txt':
      'User-agent: *\nDisallow: /x\nSITEMAP : https://www.example.com/map.xml.gz\r\nsitemap: https://other.net/s.xml',
    '/map.xml.gz': gzipSync(index(['http://example.com/a.xml', 'https://other.net/b.xml', '/c.xml'])),
    '/a.xml': urlset([
      'https://example.com/one/',
      'https://example.com/one/',
      'https://example.com/?a=1&amp;b=2',
    ]),
    '/c.xml': urlset([
      '<![CDATA[https://www.example.com/two/]]>',
      ' https://example.com/three/#part ',
      '&#47;four/',
    ]),
  }
  const { found, asked } = await find(files)
  expect(found).toEqual([
    'https://example.com:8443/',
    'https://example.com:8443/one/',
    'https://example.com:8443/?a=1&b=2',
    'https://www.example.com:8443/two/',
    'https://example.com:8443/three/',
    'https://www.example.com:8443/four/',
  ])
  expect(asked.filter((address) => address.includes('other.net'))).toEqual([])
})

test('what leads elsewhere is never asked for', async () => {
  const elsewhere = [
    'https://other.net/',
    'https://example.com.other.net/',
    'https://example.com@other.net/',
    '//other.net/',
    'file:///etc/passwd',
    'http://127.0.0.1:5252/',
    'http://[::1]/',
    'javascript:1',
  ]
  const { found, asked } = await find({
    '/sitemap.xml': index(elsewhere),
    '/wp-sitemap.xml': urlset(elsewhere),
  })
  expect(found).toEqual(['https://example.com:8443/'])
  expect(asked.every((address) => new URL(address).hostname === 'example.com')).toBe(true)
})

test('a site that names itself without end is given up', async () => {
  const files: Record<string, string> = {}
  for (let at = 0; at < 200; at++) files[`/s${at}.xml`] = index([`/s${at + 1}.xml`, '/s0.xml'])
  const { asked } = await find({ ...files, '/robots.txt': 'Sitemap: https://example.com/s0.xml' })
  expect(asked.length).toBeLessThanOrEqual(51)
  const many = urlset(Array.from({ length: 5000 }, (_, at) => `https://example.com/${at}/`))
  expect((await find({ '/sitemap.xml': many })).found).toHaveLength(mostPages)
})

test('entities are the five of XML and characters by number; a definition of more is text', () => {
  const billion = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
  expect(locations(`${billion}<loc>https://x/&b;&amp;&lt;&#x41;&#66;&#1114112;</loc>`)).toEqual([
    'https://x/&b;&<AB&#1114112;',
  ])
  expect(locations('<!DOCTYPE x SYSTEM "file:///etc/passwd"><loc>&x;</loc>')).toEqual(['&x;'])
  expect(locations('<image:loc>https://x/a.png</image:loc><loc>https://x/</loc>')).toEqual(['https://x/'])
})

test('what grows without end when it is unpacked is no sitemap', async () => {
  const bomb = gzipSync(Buffer.alloc(mostSitemapBytes * 4, '<loc>'))
  expect((await find({ '/sitemap.xml': bomb })).found).toEqual(['https://example.com:8443/'])
})

test('hostile text costs no time', () => {
  const size = 2_000_000
  const texts = ['<loc>', '<loc>   ', '<loc><![CDATA[', '&#', '<loc>&amp;', '</loc>', ' ', '<loc>\t<'].map(
    (part) => part.repeat(size / part.length),
  )
  for (const text of texts) {
    const started = performance.now()
    locations(text)
    sitemapsOf(`Sitemap:${text}`)
    sitemapsOf(`${' '.repeat(size)}sitemap`)
    expect(performance.now() - started).toBeLessThan(10_000)
  }
})

test('random bytes are read without a failure, and only own addresses come out', async () => {
  const parts = [
    '<loc>',
    '</loc>',
    '<sitemapindex>',
    'https://example.com/',
    'https://other.net/',
    '&#x',
    '&amp;',
    '<![CDATA[',
    ']]>',
    '%',
    '\0',
  ]
  for (let round = 0; round < 300; round++) {
    const pieces = Array.from({ length: randomInt(60) }, () =>
      randomInt(3) === 0 ? randomBytes(randomInt(20)).toString('latin1') : parts[randomInt(parts.length)],
    )
    const text = pieces.join('')
    const { found } = await find({
      '/robots.txt': `Sitemap: ${text}`,
      '/sitemap.xml': text,
      '/wp-sitemap.xml': text,
    })
    for (const address of found) expect(names).toContain(new URL(address).hostname)
  }
})
