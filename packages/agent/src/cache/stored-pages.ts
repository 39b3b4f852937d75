// What nginx keeps of a site: one file a page, whose first bytes tell its key and the answer's headers.
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface StoredPage {
  path: string
  key: string
  /** Kinds of posts the page lists beside its own content: the connector says so in a header. */
  listings: readonly string[]
}

/** Files of finished pages. One being written has a longer name. */
export async function storedFiles(directory: string): Promise<string[]> {
  const files: string[] = []
  for (const first of await folders(directory)) {
    for (const second of await folders(join(directory, first))) {
      const names = await readdir(join(directory, first, second)).catch(() => [])
      for (const name of names) {
        if (/^[0-9a-f]{32}$/.test(name)) files.push(join(directory, first, second, name))
      }
    }
  }
  return files
}

async function folders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory() && entry.name.length <= 2).map(({ name }) => name)
}

/** Undefined for a file that is gone or is not one of nginx's. */
export async function readStoredPage(path: string): Promise<StoredPage | undefined> {
  const head = await readHead(path)
  const start = head.indexOf('\nKEY: ')
  if (start === -1) return undefined
  const end = head.indexOf('\n', start + 6)
  if (end === -1) return undefined
  const headers = head.slice(end, head.indexOf('\r\n\r\n', end) + 2)
  // The first header follows a byte of the FastCGI protocol, the others a line's end.
  const listings = /[^!-~]X-Reeve-Lists: ([a-z0-9_,-]*)\r\n/i.exec(headers)?.[1] ?? ''
  return { path, key: head.slice(start + 6, end), listings: listings.split(',').filter(Boolean) }
}

/** Key and headers have at most 8 KB each (`large_client_header_buffers`, `fastcgi_buffer_size`). */
const headBytes = [4096, 24_576]

async function readHead(path: string): Promise<string> {
  let text = ''
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    for (const bytes of headBytes) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
      text = buffer.toString('latin1', 0, bytesRead)
      if (text.includes('\r\n\r\n')) break
    }
  } catch {
    // The web server removes files at any time.
  }
  return text
}
