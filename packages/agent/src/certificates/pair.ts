// A certificate and its key as the web server reads them: each pair in a directory of its own, and one link that
// says which is in use, switched by one rename. No crash leaves a certificate beside another one's key.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Replaced, replaceFile, syncDirectory } from '../managed-file.ts'
import { removeTree } from '../sites/layout.ts'

export interface CertificateFiles {
  certificate: string
  key: string
}

const link = 'current'

/** Where the pair in use is found, whichever it is. */
export const certificateFiles = (directory: string): CertificateFiles => filesOf(directory, link)

const filesOf = (directory: string, pair: string): CertificateFiles => ({
  certificate: join(directory, pair, 'fullchain.pem'),
  key: join(directory, pair, 'privkey.pem'),
})

/** Name of the pair in use, or undefined when there is none or one of its files is missing or of another pair. */
export function pairInUse(directory: string): string | undefined {
  const at = join(directory, link)
  if (!lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined
  const pair = readlinkSync(at)
  return isWhole(filesOf(directory, pair)) ? pair : undefined
}

function isWhole(files: CertificateFiles): boolean {
  if (!existsSync(files.certificate) || !existsSync(files.key)) return false
  try {
    const certificate = new X509Certificate(readFileSync(files.certificate))
    return certificate.checkPrivateKey(createPrivateKey(readFileSync(files.key)))
  } catch {
    return false
  }
}

/** Writes a pair beside the one in use and returns its name; the same certificate gets the same name. */
export function writePair(directory: string, chain: string, key: string): string {
  const { fingerprint256 } = new X509Certificate(chain)
  const pair = fingerprint256.replaceAll(':', '').slice(0, 32).toLowerCase()
  mkdirSync(join(directory, pair), { recursive: true, mode: 0o700 })
  const files = filesOf(directory, pair)
  replaceFile(files.key, key, { mode: 0o600 })
  replaceFile(files.certificate, chain, { mode: 0o644 })
  syncDirectory(directory)
  return pair
}

/** Takes `pair` into use, as a change that the web server's reload belongs to. */
export function usePair(directory: string, pair: string): Replaced {
  const before = pairInUse(directory)
  point(directory, pair)
  return {
    // Also when it was in use: a predecessor may have died before its reload.
    changed: true,
    undo: () => {
      if (before !== undefined) point(directory, before)
    },
  }
}

function point(directory: string, pair: string): void {
  const next = join(directory, `${link}.next`)
  if (lstatSync(next, { throwIfNoEntry: false })) unlinkSync(next)
  symlinkSync(pair, next)
  renameSync(next, join(directory, link))
  syncDirectory(directory)
}

/** Names of the pairs that are whole but not in use. */
export function sparePairs(directory: string): string[] {
  const inUse = pairInUse(directory)
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== inUse)
    .map(({ name }) => name)
    .filter((name) => isWhole(filesOf(directory, name)))
}

/** Removes everything but the pair in use. */
export async function removeOtherPairs(directory: string): Promise<void> {
  const kept = [link, pairInUse(directory)]
  const others = readdirSync(directory).filter((name) => !kept.includes(name))
  await Promise.all(others.map((name) => removeTree(join(directory, name))))
}
