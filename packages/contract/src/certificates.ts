import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { SiteId, TaskId, Timestamp } from './primitives.ts'
import { Accepted } from './tasks.ts'

export const CertificateFacts = z.strictObject({
  issuer: z.enum(['self-signed', 'acme']),
  expires_at: Timestamp,
  /** Host names it is valid for. */
  names: z.array(z.string()).default([]),
  /** Common name of the authority; null when self-signed. */
  authority: z.string().nullable().default(null),
  /** When the renewal is due, by the authority's advice (RFC 9773) or at two thirds of its life. */
  renew_at: Timestamp.nullable().default(null),
  /** Why the last renewal did not work, in the authority's own words. */
  last_error: z.string().nullable().default(null),
})
export type CertificateFacts = z.infer<typeof CertificateFacts>

export const issueCertificate = endpoint({
  name: 'issueCertificate',
  summary: "Get a certificate for the site's names from the configured authority (ACME HTTP-01)",
  method: 'POST',
  path: '/api/sites/{id}/certificate',
  role: 'manage',
  scope: 'site',
  params: z.strictObject({ id: SiteId }),
  response: Accepted,
  status: 202,
})

/** Names of the steps `certificate.issue` reports. */
export const certificateIssueSteps = [
  'pre-flight',
  'account',
  'order',
  'challenge',
  'install',
  'verify',
] as const

export const certificateIssue = operation({
  name: 'certificate.issue',
  summary: "Order, prove, install and verify a certificate for a site's names; the old one serves until then",
  input: z.strictObject({
    id: SiteId,
    /** Asked for twice by the same task, it is one certificate: authorities count them. */
    task: TaskId,
  }),
  output: CertificateFacts,
})

export const certificateList = operation({
  name: 'certificate.list',
  summary: 'Answer what is known of the certificates in use, which timers renew without being asked',
  input: z.strictObject({}),
  output: z.strictObject({
    certificates: z.array(CertificateFacts.extend({ site: SiteId })),
  }),
})
