// The official archive with its published checksum.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import * as z from 'zod'
import { replaceFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { type CoreVersion, type OfficialSite, parseCoreVersion } from './core-source.ts'
import { downloadFile, downloadText } from './download.ts'

const checkEveryMs = 6 * 3_600_000
/** After an unanswered check the core that is here serves for a while without another wait. */
const retryAfterMs = 10 * 60_000

const Note = z.object({ version: z.string(), next_check_at: z.number() })

const VersionCheck = z.object({ offers: z.array(z.object({ version: z.string() })).min(1) })

/** The latest version; when that cannot be learned, the newest one that is here. */
export async function latestVersion(
  paths: Paths,
  site: OfficialSite,
  newestHere: CoreVersion | undefined,
): Promise<CoreVersion> {
  const path = join(paths.cores, '.latest.json')
  const note = readNote(path)
  if (note && note.next_check_at > Date.now()) return note.version
  const remember = (version: CoreVersion, forMs: number) => {
    replaceFile(path, JSON.stringify({ version, next_check_at: Date.now() + forMs }), { mode: 0o644 })
    return version
  }
  try {
    return remember(await askLatest(site), checkEveryMs)
  } catch (error) {
    if (newestHere) return remember(newestHere, retryAfterMs)
    throw error
  }
}

function readNote(path: string): { version: CoreVersion; next_check_at: number } | undefined {
  if (!existsSync(path)) return undefined
  try {
    const note = Note.parse(JSON.parse(readFileSync(path, 'utf8')))
    return parseCoreVersion(note.version) ? note : undefined
  } catch {
    return undefined // A note that cannot be read is only a question asked again.
  }
}

async function askLatest(site: OfficialSite): Promise<CoreVersion> {
  const text = await downloadText(site.versionCheck, {
    timeoutMs: 10_000,
    maxBytes: 1024 * 1024,
    ca: site.ca,
  })
  let offered: string | undefined
  try {
    offered = VersionCheck.parse(JSON.parse(text)).offers[0]?.version
  } catch (error) {
    throw new AppError(
      'internal',
      `${site.versionCheck.href} did not answer with a list of versions.`,
      {},
      error,
    )
  }
  const version = offered && parseCoreVersion(offered)
  if (!version) throw new AppError('internal', `${site.versionCheck.href} offers no version of WordPress.`)
  return version
}

/** Downloads into `dir` and returns the path of the verified archive. */
export async function downloadArchive(
  site: OfficialSite,
  version: CoreVersion,
  dir: string,
): Promise<string> {
  const url = new URL(`wordpress-${version}.tar.gz`, site.releases)
  const path = join(dir, 'download.tar.gz')
  const published = await downloadText(new URL(`${url.pathname}.sha1`, url), {
    timeoutMs: 20_000,
    maxBytes: 1024,
    ca: site.ca,
  })
  const expected = /^[0-9a-f]{40}\b/.exec(published.trim())?.[0]
  if (!expected) throw new AppError('internal', `${url.href}.sha1 does not hold a checksum.`)
  const { sha1 } = await downloadFile(url, path, {
    timeoutMs: 300_000,
    maxBytes: 128 * 1024 * 1024,
    ca: site.ca,
  })
  if (sha1 !== expected) {
    throw new AppError(
      'internal',
      `${url.href} does not match its published checksum (${sha1}, not ${expected}). It was not used.`,
    )
  }
  return path
}
