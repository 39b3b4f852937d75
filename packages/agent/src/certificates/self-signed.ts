// The certificate a site has from its first second, so that HTTPS answers before any authority was asked.
import { X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import type { Domain } from '@reeve/contract/primitives.ts'
import { run } from '../command.ts'
import {
  type CertificateFiles,
  certificateFiles,
  pairInUse,
  removeOtherPairs,
  usePair,
  writePair,
} from './pair.ts'

/** Makes the pair unless one that names all of `names`, or one of an authority, is there. */
export async function ensureSelfSigned(
  directory: string,
  names: readonly Domain[],
): Promise<CertificateFiles> {
  const files = certificateFiles(directory)
  if (pairInUse(directory) !== undefined && isGoodFor(files.certificate, names)) return files
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { stdout } = await run('openssl', [...request, '-addext', altNames(names)], { timeoutMs: 10_000 })
  usePair(directory, writePair(directory, pemBlock(stdout, 'CERTIFICATE'), pemBlock(stdout, 'PRIVATE KEY')))
  await removeOtherPairs(directory)
  return files
}

const request: readonly string[] = [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '825'],
  ...['-subj', '/CN=Reeve self-signed', '-keyout', '-', '-out', '-'],
  ...['-addext', 'keyUsage=digitalSignature', '-addext', 'extendedKeyUsage=serverAuth'],
]

const altNames = (names: readonly Domain[]) =>
  `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`

export const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.issuer === certificate.subject

function isGoodFor(path: string, names: readonly Domain[]): boolean {
  const certificate = new X509Certificate(readFileSync(path))
  // One of an authority stays, also for a new name: a warning for one name is less than one for all.
  return !isSelfSigned(certificate) || names.every((name) => certificate.checkHost(name) !== undefined)
}

function pemBlock(text: string, label: string): string {
  const match = new RegExp(`-----BEGIN ${label}-----[\\s\\S]+?-----END ${label}-----\\n`).exec(text)
  if (!match) throw new Error(`openssl printed no ${label}`)
  return match[0]
}
