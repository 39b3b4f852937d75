// HTTPS only, with a size cap and a deadline for the whole exchange; a redirect may lead only to HTTPS.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { AppError } from '@reeve/contract/errors.ts'

export interface DownloadOptions {
  timeoutMs: number
  maxBytes: number
  /** A certificate authority in PEM beside the system's. */
  ca?: string | undefined
  signal?: AbortSignal | undefined
}

export async function downloadText(url: URL, options: DownloadOptions): Promise<string> {
  const chunks: Buffer[] = []
  await receive(url, options, async (body) => {
    for await (const chunk of body) chunks.push(chunk)
  })
  return Buffer.concat(chunks).toString('utf8')
}

/** Writes the body to a new file and returns its SHA-1 and SHA-256 in hexadecimal. */
export async function downloadFile(
  url: URL,
  path: string,
  options: DownloadOptions,
): Promise<{ sha1: string; sha256: string }> {
  const sha1 = createHash('sha1')
  const sha256 = createHash('sha256')
  await receive(url, options, async (body) => {
    // Open and closed within this call: a stream may still open its file after the transfer has failed, when the
    // directory is being removed already.
    await using file = await open(path, 'wx', 0o600)
    for await (const chunk of body) {
      sha1.update(chunk)
      sha256.update(chunk)
      await file.writeFile(chunk)
    }
  })
  return { sha1: sha1.digest('hex'), sha256: sha256.digest('hex') }
}

type Body = AsyncIterable<Buffer>

async function receive(url: URL, options: DownloadOptions, consume: (body: Body) => Promise<void>) {
  const deadline = AbortSignal.timeout(options.timeoutMs)
  const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline
  try {
    const response = await request(url, options, signal, 5)
    await consume(capped(url, response, options.maxBytes))
  } catch (error) {
    if (error instanceof AppError) throw error
    const reason = deadline.aborted
      ? `gave no full answer within ${options.timeoutMs / 1000} s`
      : `could not be read: ${error instanceof Error ? error.message : String(error)}`
    throw new AppError(
      'internal',
      `${url.href} ${reason}. Check that this server reaches ${url.host}.`,
      {},
      error,
    )
  }
}

async function request(
  url: URL,
  options: DownloadOptions,
  signal: AbortSignal,
  redirectsLeft: number,
): Promise<IncomingMessage> {
  if (url.protocol !== 'https:') throw new AppError('refused', `${url.href} is not an HTTPS address.`)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  get(url, { signal, agent: false, ...(options.ca ? { ca: options.ca } : {}) }, resolve).once('error', reject)
  const response = await promise
  const status = response.statusCode ?? 0
  const location = response.headers.location
  if (status >= 300 && status < 400 && location !== undefined) {
    response.destroy()
    if (redirectsLeft === 0) throw new AppError('internal', `${url.href} redirects too often.`)
    return request(new URL(location, url), options, signal, redirectsLeft - 1)
  }
  if (status !== 200) {
    response.destroy()
    throw new AppError('internal', `${url.href} answered ${status} instead of 200.`)
  }
  return response
}

async function* capped(url: URL, response: IncomingMessage, maxBytes: number): Body {
  let size = 0
  const chunks: AsyncIterable<Buffer> = response
  for await (const bytes of chunks) {
    size += bytes.length
    if (size > maxBytes) {
      response.destroy()
      throw new AppError('refused', `${url.href} is larger than ${maxBytes} bytes, which is the limit.`)
    }
    yield bytes
  }
  if (!response.complete) throw new AppError('internal', `${url.href} ended before its whole content came.`)
}
