// Renewals by the timer, with a real authority, Pebble, which refuses every second nonce here. What a renewal has in
// common with a certificate that somebody asks for is tried in certificates.test.ts.
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CertificateLab, openCertificateLab } from '../src/certificates.ts'

let lab: CertificateLab

beforeAll(async () => {
  // A certificate is never renewed in the first hundredth of its life: six seconds of this one.
  lab = await openCertificateLab({ nonceReject: 50, validitySeconds: 600 })
}, 120_000)
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
}, 60_000)

const day = 86_400_000
const patiently = { timeout: 60_000, interval: 500 }
const advise = (startMs: number, endMs = startMs) => {
  const window = { start: new Date(Date.now() + startMs), end: new Date(Date.now() + endMs) }
  lab.authority.front.renewalWindow = window
  return window
}
/** It asks the agent as soon as it runs again. */
const restartApi = () => process.kill(lab.reeve.pid('api'), 'SIGKILL')
const renewed = async (domain: string) => {
  expect(await lab.renewDue()).toBeUndefined()
  return lab.seenBy(domain)
}
const certified = async (): Promise<Site> => {
  const site = await lab.createSite({ domain: lab.newName(), type: 'static' })
  expect(await lab.issue(site.id)).toMatchObject({ state: 'succeeded' })
  return site
}

it('renews nothing before the authority wants it', async () => {
  const early = await certified()
  advise(10 * day, 12 * day)
  const before = await lab.seenBy(early.domain)
  expect(await lab.renewDue()).toBeUndefined()
  expect(await lab.seenBy(early.domain)).toEqual(before)
})

it('renews when the authority wants it, which is told what it replaces', async () => {
  const fresh = await certified()
  const before = await lab.seenBy(fresh.domain)
  advise(-2 * day, -day)
  const { seen } = await lab.watched(fresh.domain, () =>
    expect.poll(() => renewed(fresh.domain), patiently).not.toEqual(before),
  )
  const after = await lab.seenBy(fresh.domain)
  expect(seen).toEqual([before.fingerprint, after.fingerprint])
  const { payload } = lab.authority.front.payloads.filter(({ path }) => path === '/order-plz').at(-1) ?? {}
  expect(payload).toMatchObject({ identifiers: [{ type: 'dns', value: fresh.domain }] })
  const serial = Buffer.from(before.serial.replace(/^(?=[89A-F])/, '00'), 'hex')
  expect(String(payload?.['replaces']).split('.')[1]).toBe(serial.toString('base64url'))
})

it('renews once for a name that the site has got since', async () => {
  const own = await certified()
  advise(10 * day, 12 * day)
  const added = `www.${own.domain}`
  await lab.authority.lead([added], '127.0.0.1')
  await lab.configure(own.id, { aliases: [added] })
  expect(await lab.renewDue()).toBeUndefined()
  const after = await lab.seenBy(added)
  expect(after.names.toSorted()).toEqual([own.domain, added].toSorted())
  expect(await lab.renewDue()).toBeUndefined()
  expect(await lab.seenBy(added)).toEqual(after)
})

it('says what failed, and tries again later', async () => {
  const failing = await certified()
  const before = await lab.seenBy(failing.domain)
  advise(-day)
  await lab.authority.lead([failing.domain], null)
  await expect
    .poll(() => lab.renewDue(), patiently)
    .toMatch(/could not be renewed\. site\d+\.example\.com: .*does not resolve/)
  expect(await lab.renewDue()).toBeUndefined()
  expect(await lab.seenBy(failing.domain)).toEqual(before)
  restartApi()
  const known = async () => (await lab.site(failing.id)).certificate?.last_error
  await expect.poll(known, patiently).toContain('does not resolve')
})

it('tells the panel, which was not asked to do it', async () => {
  const quiet = await certified()
  const { start } = advise(100 * day)
  const known = async () => (await lab.site(quiet.id)).certificate?.renew_at
  expect(await lab.renewDue()).toBeUndefined()
  expect(await known()).not.toBe(start.toISOString())
  restartApi()
  await expect.poll(known, patiently).toBe(start.toISOString())
})
