// Where WordPress comes from: the official archive, or a folder or archive of the administrator's own.
import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'

export type CoreSource =
  | { kind: 'official' /** undefined: the latest. */; version: CoreVersion | undefined; site: OfficialSite }
  | { kind: 'directory'; path: string }
  | { kind: 'archive'; path: string }

export interface OfficialSite {
  /** Answers which version is the latest. */
  versionCheck: URL
  /** Folder with `wordpress-<version>.tar.gz` and its `.sha1`. */
  releases: URL
  /** A certificate authority in PEM, for a mirror with one of its own. */
  ca?: string
}

export type CoreVersion = string

export const officialSite: OfficialSite = {
  versionCheck: new URL('https://api.wordpress.org/core/version-check/1.7/'),
  releases: new URL('https://wordpress.org/'),
}

/** A WordPress version as a directory name; anything else is refused. */
export function parseCoreVersion(text: string): CoreVersion | undefined {
  return /^[0-9]{1,2}\.[0-9]{1,2}(\.[0-9]{1,2})?(-[A-Za-z0-9]{1,20}){0,2}$/.test(text) ? text : undefined
}

/** `REEVE_WORDPRESS_SOURCE`: nothing or `official`, `official:<version>`, or an absolute path. */
export function parseCoreSource(text: string | undefined, site: OfficialSite = officialSite): CoreSource {
  if (text === undefined || text === 'official') return { kind: 'official', version: undefined, site }
  if (text.startsWith('official:')) {
    const version = parseCoreVersion(text.slice('official:'.length))
    if (!version) throw sourceProblem(text, 'does not name a version like 6.8.3')
    return { kind: 'official', version, site }
  }
  if (!isAbsolute(text)) throw sourceProblem(text, 'is neither "official" nor an absolute path')
  const found = statSync(text, { throwIfNoEntry: false })
  if (!found) throw sourceProblem(text, 'does not exist')
  if (found.isDirectory()) return { kind: 'directory', path: text }
  if (!isTarName(text)) throw sourceProblem(text, 'is neither a folder nor a .tar.gz or .tar.xz archive')
  return { kind: 'archive', path: text }
}

export const isTarName = (path: string): boolean => /\.(tar\.gz|tgz|tar\.xz|txz)$/.test(path)

function sourceProblem(text: string, problem: string): AppError {
  return new AppError(
    'refused',
    `REEVE_WORDPRESS_SOURCE is "${text}", which ${problem}. Correct it and start again.`,
  )
}
