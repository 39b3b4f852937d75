// Under which keys the web server stores the page of an address (`render-page-cache.ts` says the key's form).
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { parseDomain } from '@reeve/contract/primitives.ts'

/** The forms a page is stored in: as it is, and compressed. */
const encodings = ['', 'gzip']
const schemes = ['https', 'http']

/**
 * The part of an address after its host, as visitors may have sent it: the digits of an encoded character come
 * in capitals from some and in small letters from others. Throws `refused` for a host that is not the site's.
 */
export function ownTargets(names: readonly string[], address: string): string[] {
  const url = parseAddress(address)
  if (!names.includes(url.hostname)) {
    throw new AppError(
      'refused',
      `${url.hostname || address} is not a name of this site, so nothing was purged.`,
      { field: 'urls', host: url.hostname },
    )
  }
  const target = url.pathname + url.search
  const escapes = (change: (hex: string) => string) => target.replaceAll(/%[0-9a-f]{2}/gi, change)
  return [
    ...new Set([
      target,
      escapes((hex) => hex.toUpperCase()),
      escapes((hex) => `%${hex.slice(1).toLowerCase()}`),
    ]),
  ]
}

function parseAddress(address: string): URL {
  const url = URL.parse(address)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isWeb || !('domain' in parseDomain(url.hostname))) {
    throw new AppError('refused', `"${address.slice(0, 200)}" is not an address of a page.`, {
      field: 'urls',
    })
  }
  return url
}

/** Every key under which a page may be stored; a page is the same one under each of the site's names. */
export function keysOf(names: readonly string[], target: string): string[] {
  return schemes.flatMap((scheme) =>
    names.flatMap((name) => encodings.map((encoding) => `${scheme}${name}${target}${encoding}`)),
  )
}

/** Where nginx stores a key with `levels=1:2`; the key is bytes, one a character. */
export function storedPath(directory: string, key: string): string {
  const name = createHash('md5').update(Buffer.from(key, 'latin1')).digest('hex')
  return join(directory, name.slice(-1), name.slice(-3, -1), name)
}
