// Every failure and kill of issuing a certificate, with authorities of every temper:
// node packages/testbed/campaigns/certificates.ts [part of a failpoint's name]
import { certificateIssueSteps } from '@reeve/contract/certificates.ts'
import { type CertificateLab, openCertificateLab, presented, watchPresented } from '../src/certificates.ts'

const [filter = ''] = process.argv.slice(2)

const failpoints = certificateIssueSteps.flatMap((step) =>
  ['before', ...(step === 'challenge' || step === 'install' ? ['mid'] : []), 'after'].flatMap((moment) =>
    ['error', 'kill'].map((how) => `certificate.issue.${step}:${moment}:${how}`),
  ),
)

/** What is wrong after one attempt with a failpoint and, when it failed, one without; [] is a pass. */
async function attempt(lab: CertificateLab, failpoint: string | undefined): Promise<string[]> {
  const { reeve, panel, authority } = lab
  const site = await lab.createSite({ domain: `case${++made}.example.com`, type: 'static' })
  const seenNow = () => presented(site.domain, reeve.https.port)
  const before = await seenNow()
  const watch = watchPresented(site.domain, reeve.https.port)
  if (failpoint !== undefined) lab.arm(failpoint)
  const first = await lab.issue(site.id)
  const isFailing = failpoint?.endsWith(':error') ?? false
  const problems = lab.hasFired() ? [] : ['the failpoint was never reached']
  if ((first.state === 'failed') !== isFailing) problems.push(`the task is ${first.state}: ${first.error}`)
  const last = isFailing ? await lab.issue(site.id) : first
  if (last.state !== 'succeeded') problems.push(`the second attempt failed: ${last.error}`)
  const { seen, failures } = await watch.stop()
  problems.push(...failures)
  const after = await seenNow()
  if (seen[0] !== before.fingerprint) problems.push('another certificate than the old one was seen first')
  if (seen.at(-1) !== after.fingerprint) problems.push('the certificate changed afterwards')
  if (!after.authority.startsWith('Pebble')) problems.push(`the certificate is of ${after.authority}`)
  const others = seen.length - 2
  // Only a task that failed after all was done is not known to have done it.
  if (others > (failpoint === 'certificate.issue.verify:after:error' ? 1 : 0))
    problems.push(`${others} further certificates were seen`)
  const deleted = await panel.deleteSite(site.id)
  if (deleted.state !== 'succeeded') problems.push(`deleting failed: ${deleted.error}`)
  if ((await authority.statusOf(after.serial)) !== 'Revoked') problems.push('it was not revoked')
  return problems
}

let made = 0
let passed = 0
let failed = 0
for (const nonceReject of [0, 5, 50, 90]) {
  for (const authorizationReuse of [0, 100]) {
    await using lab = await openCertificateLab({ nonceReject, authorizationReuse })
    // Each failpoint once with an easy and once with a hard authority; the matrix itself without any.
    const isExtreme = authorizationReuse === 0 && (nonceReject === 0 || nonceReject === 50)
    const cases = [undefined, undefined, undefined, ...(isExtreme ? failpoints : [])]
    for (const failpoint of cases.filter((name) => (name ?? 'none').includes(filter))) {
      const started = Date.now()
      const problems = await attempt(lab, failpoint).catch((error: unknown) => [String(error)])
      const name = `nonces refused ${nonceReject} %, reuse ${authorizationReuse} %, ${failpoint ?? 'no failure'}`
      process.stdout.write(
        `${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${Date.now() - started} ms)\n`,
      )
      for (const problem of problems) process.stdout.write(`         ${problem}\n`)
      if (problems.length === 0) passed++
      else failed++
    }
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
