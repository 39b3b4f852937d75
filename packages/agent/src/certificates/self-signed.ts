// The certificate a site has from its first second, so that HTTPS answers before any authority was asked.
import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Domain } from '@reeve/contract/primitives.ts'
import { run } from '../command.ts'
import { replaceFile } from '../managed-file.ts'

export interface CertificateFiles {
  certificate: string
  key: string
}

export const certificateFiles = (directory: string): CertificateFiles => ({
  certificate: join(directory, 'fullchain.pem'),
  key: join(directory, 'privkey.pem'),
})

/** Makes the pair unless one that names all of `names` is there. */
export async function ensureSelfSigned(
  directory: string,
  names: readonly Domain[],
): Promise<CertificateFiles> {
  const files = certificateFiles(directory)
  if (existsSync(files.certificate) && existsSync(files.key) && covers(files.certificate, names)) return files
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { stdout } = await run(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '825',
      ],
      ...[
        '-subj',
        '/CN=Reeve self-signed',
        '-addext',
        `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
      ],
      ...[
        '-addext',
        'keyUsage=digitalSignature',
        '-addext',
        'extendedKeyUsage=serverAuth',
        '-keyout',
        '-',
        '-out',
        '-',
      ],
    ],
    { timeoutMs: 10_000 },
  )
  replaceFile(files.key, pemBlock(stdout, 'PRIVATE KEY'), { mode: 0o600 })
  replaceFile(files.certificate, pemBlock(stdout, 'CERTIFICATE'), { mode: 0o644 })
  return files
}

export interface CertificateFacts {
  issuer: 'self-signed' | 'acme'
  /** RFC 3339 */
  expiresAt: string
}

export function readCertificate(path: string): CertificateFacts {
  const certificate = new X509Certificate(readFileSync(path))
  return {
    issuer: certificate.issuer === certificate.subject ? 'self-signed' : 'acme',
    expiresAt: new Date(certificate.validTo).toISOString(),
  }
}

function covers(path: string, names: readonly Domain[]): boolean {
  const certificate = new X509Certificate(readFileSync(path))
  return names.every((name) => certificate.checkHost(name) !== undefined)
}

function pemBlock(text: string, label: string): string {
  const match = new RegExp(`-----BEGIN ${label}-----[\\s\\S]+?-----END ${label}-----\\n`).exec(text)
  if (!match) throw new Error(`openssl printed no ${label}`)
  return match[0]
}
