import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CertificateFacts } from '@reeve/contract/certificates.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { Paths } from '../paths.ts'
import { certificateFiles } from './pair.ts'
import { certificateId } from './renewal-information.ts'
import { isSelfSigned } from './self-signed.ts'
import { type CertificateState, readState } from './state.ts'

export const currentCertificate = (paths: Paths, id: SiteId): X509Certificate =>
  new X509Certificate(readFileSync(certificateFiles(paths.siteTls(id)).certificate))

/** What there is to know about the certificate in use. */
export function certificateFacts(paths: Paths, id: SiteId): CertificateFacts {
  const certificate = currentCertificate(paths, id)
  const state = readState(paths, id)
  const isOwn = isSelfSigned(certificate)
  return {
    issuer: isOwn ? 'self-signed' : 'acme',
    expires_at: certificate.validToDate.toISOString(),
    names: namesOf(certificate),
    authority: isOwn ? null : authorityOf(certificate),
    renew_at: isOwn ? null : renewAt(certificate, state),
    last_error: state.last_error,
  }
}

const namesOf = (certificate: X509Certificate): string[] =>
  [...(certificate.subjectAltName ?? '').matchAll(/DNS:([^,\s]+)/g)].map(([, name = '']) => name)

/** Common name, or whatever else it calls itself. */
const authorityOf = ({ issuer }: X509Certificate): string | null =>
  /^CN=(.+)$/m.exec(issuer)?.[1] ?? /^O=(.+)$/m.exec(issuer)?.[1] ?? null

/** By the authority's advice on this very certificate, else after two thirds of its life. RFC 3339. */
export function renewAt(certificate: X509Certificate, { advice }: CertificateState): string {
  const from = certificate.validFromDate.getTime()
  const life = certificate.validToDate.getTime() - from
  const isAdvised = advice !== null && advice.certificate === certificateId(certificate)
  // An authority that wants every new certificate renewed at once must not make us ask every hour for ever.
  const at = isAdvised ? Math.max(Date.parse(advice.renew_at), from + life / 100) : from + (life * 2) / 3
  return new Date(at).toISOString()
}
