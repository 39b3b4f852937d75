// The built user interface from memory: a map of known files, so that no path can reach anything else.
// Compressed variants are made once, when first asked for.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

interface Asset {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly variants: Map<'br' | 'gzip', Promise<Buffer>>
}

export interface WebAssets {
  /** Answers with a file or, for any other path, with the page that routes in the browser. */
  serve(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const compressible = new Set(['.css', '.html', '.js', '.json', '.svg', '.txt', '.webmanifest'])
const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

export function loadWebAssets(folder: string): WebAssets {
  const files = readFolder(folder)
  return {
    async serve(path, request, reply) {
      const file = files.get(path)
      const asset = file ?? (path.startsWith('/assets/') ? undefined : files.get('/index.html'))
      if (!asset) {
        return reply.code(404).type('text/plain; charset=utf-8').send('There is no such page.\n')
      }
      reply.header(
        'cache-control',
        path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      reply.header('etag', asset.etag).header('vary', 'accept-encoding').type(asset.type)
      if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send()
      const { encoding, body } = await choose(asset, request.headers['accept-encoding'])
      if (encoding) reply.header('content-encoding', encoding)
      reply.header('content-length', body.length)
      return reply.send(request.method === 'HEAD' ? '' : body)
    },
  }
}

function readFolder(folder: string): ReadonlyMap<string, Asset> {
  const files = new Map<string, Asset>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const type = types[extname(entry.name)]
    if (type === undefined) continue
    const plain = readFileSync(path)
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
    const name = `/${relative(folder, path).split(sep).join('/')}`
    files.set(name, { type, etag, plain, variants: new Map() })
  }
  return files
}

async function choose(
  asset: Asset,
  accepted: string | undefined,
): Promise<{ encoding?: 'br' | 'gzip'; body: Buffer }> {
  const isText = [...compressible].some((extension) => types[extension] === asset.type)
  if (!isText || asset.plain.length < 500) return { body: asset.plain }
  const encoding = /\bbr\b/.test(accepted ?? '') ? 'br' : /\bgzip\b/.test(accepted ?? '') ? 'gzip' : undefined
  if (!encoding) return { body: asset.plain }
  const variant = asset.variants.get(encoding) ?? compress(asset.plain, encoding)
  asset.variants.set(encoding, variant)
  return { encoding, body: await variant }
}

function compress(plain: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(plain, { level: 9 })
  return compressBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}
