import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import { expect, it } from 'vitest'
import { certificateFiles, usePair, writePair } from './pair.ts'
import { ensureSelfSigned } from './self-signed.ts'
import { createAuthority } from './testing/certificates.ts'
import { makeFolder } from '../testing/folder.ts'

const names = ['a.example.com', `${'long-label-'.repeat(5)}x.${'b'.repeat(60)}.example.com`].map((name) =>
  Domain.parse(name),
)
const directory = () => join(makeFolder('tls'), 'site')

it('names every domain of the site, also those longer than a common name can be', async () => {
  const files = await ensureSelfSigned(directory(), names)
  const certificate = new X509Certificate(readFileSync(files.certificate))
  for (const name of names) expect(certificate.checkHost(name)).toBe(name)
  expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(files.key)))).toBe(true)
  expect(statSync(files.key).mode & 0o777).toBe(0o600)
  expect(certificate.issuer).toBe(certificate.subject)
  expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now() + 800 * 86_400_000)
})

it('keeps a pair that names every domain and makes a new one for a new alias', async () => {
  const at = directory()
  const { certificate } = await ensureSelfSigned(at, names)
  const first = readFileSync(certificate, 'utf8')
  await ensureSelfSigned(at, names.slice(0, 1))
  expect(readFileSync(certificate, 'utf8')).toBe(first)
  await ensureSelfSigned(at, [...names, Domain.parse('new.example.com')])
  expect(readFileSync(certificate, 'utf8')).not.toBe(first)
})

it('never takes the place of a certificate of an authority, also for a new alias', async () => {
  const at = directory()
  const issued = createAuthority().issue(names.slice(0, 1))
  usePair(at, writePair(at, issued.certificate, issued.key))
  await ensureSelfSigned(at, [...names, Domain.parse('new.example.com')])
  expect(readFileSync(certificateFiles(at).certificate, 'utf8')).toBe(issued.certificate)
})

it('takes the place of a pair that cannot be served', async () => {
  const at = directory()
  const issued = createAuthority().issue(names)
  usePair(at, writePair(at, issued.certificate, createAuthority().key))
  const { certificate } = await ensureSelfSigned(at, names)
  expect(new X509Certificate(readFileSync(certificate)).subject).toContain('Reeve self-signed')
})
