// The conversation with a real authority, Pebble, behind a front that fails when it is told to.
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensureAccount, readAccount, registerAccount } from '../../agent/src/certificates/account.ts'
import { openAuthority } from '../../agent/src/certificates/authority.ts'
import { checkChain } from '../../agent/src/certificates/chain.ts'
import {
  finishOrder,
  type Party,
  placeOrder,
  proveNames,
  readOrder,
  removeOldChallenges,
  revokeCertificate,
} from '../../agent/src/certificates/order.ts'
import { readAcmeSettings } from '../../agent/src/certificates/settings.ts'
import { pathsBelow } from '../../agent/src/paths.ts'
import { type CertificateAuthority, startAuthority } from '../src/pebble.ts'
import { makeFolder } from '../../agent/src/testing/folder.ts'

const paths = pathsBelow(makeFolder('acme'))
const folder = makeFolder('challenges')
const names = ['one.example.com', 'two.example.com'].map((name) => Domain.parse(name))
// Serves the folder as the sites' web server does.
const web = createServer((request, response) => {
  const token = /^\/\.well-known\/acme-challenge\/([\w-]+)$/.exec(request.url ?? '')?.[1]
  response.end(token === undefined ? 'nothing' : readFileSync(join(folder, token)))
})
let pebble: CertificateAuthority

beforeAll(async () => {
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done))
  pebble = await startAuthority({ nonceReject: 50 })
  await pebble.port80.forwardTo((web.address() as AddressInfo).port)
  await pebble.lead(names, '127.0.0.1')
})
afterAll(async () => {
  await pebble[Symbol.asyncDispose]()
  web.close()
  web.closeAllConnections()
})
afterEach(() => pebble.front.heal())

const settings = () => readAcmeSettings(pebble.env)
const open = () => openAuthority(settings(), AbortSignal.timeout(60_000))
const converse = async (): Promise<Party & Disposable> => {
  const authority = await open()
  const account = await ensureAccount(authority, paths, settings())
  return { authority, account, [Symbol.dispose]: () => authority[Symbol.dispose]() }
}
const order = async (party: Party) => {
  const url = await placeOrder(party, names, undefined)
  await proveNames(party, await readOrder(party, url), folder, () => {})
  return url
}
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const asked = (part: string) => pebble.front.requests.filter((request) => request.includes(part)).length

describe('with an authority that refuses every second nonce', () => {
  it('gets a certificate for all names, and has it revoked once', async () => {
    using party = await converse()
    const key = newKey()
    const chain = await finishOrder(party, await order(party), key, names)
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
    const checked = checkChain('pebble', chain, pem, names)
    expect(checked.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThanOrEqual(1)
    const der = Buffer.from(checked.split('-----')[2] ?? '', 'base64')
    await revokeCertificate(party, der)
    // A crash after it must not make the next attempt fail.
    await revokeCertificate(party, der)
  })

  it('has one account, also when its address was lost', async () => {
    using party = await converse()
    const { url } = readAccount(paths, settings()) ?? {}
    expect(party.account.url).toBe(url)
    expect((await registerAccount(party.authority, paths, settings())).url).toBe(url)
  })

  it('goes on when an answer is lost after the authority acted on it', async () => {
    using party = await converse()
    const url = await order(party)
    pebble.front.fail('/finalize-order', { status: 502, afterwards: true }, 1)
    expect(await finishOrder(party, url, newKey(), names)).toContain('BEGIN CERTIFICATE')
  })

  it('goes on after a server error', async () => {
    using party = await converse()
    const before = asked('/order-plz')
    pebble.front.fail('/order-plz', { status: 500 }, 2)
    await placeOrder(party, names, undefined)
    expect(asked('/order-plz') - before).toBeGreaterThanOrEqual(3)
  })
})

describe('an authority that does not do its part', () => {
  it('is asked five times, and then named', async () => {
    using party = await converse()
    const before = asked('/order-plz')
    pebble.front.fail('/order-plz', { status: 503 })
    await expect(placeOrder(party, names, undefined)).rejects.toThrow(/127\.0\.0\.1:\d+ answered 503 without/)
    expect(asked('/order-plz') - before).toBe(5)
  })

  it('that wants a longer pause is not asked again', async () => {
    using party = await converse()
    const before = asked('/order-plz')
    pebble.front.fail('/order-plz', { status: 503, headers: { 'retry-after': '600' } })
    await expect(placeOrder(party, names, undefined)).rejects.toMatchObject({ waitMs: 600_000 })
    expect(asked('/order-plz') - before).toBe(1)
  })

  it.each([
    { headers: { 'retry-after': '7200' }, waitMs: 7_200_000 },
    { headers: {}, waitMs: 3_600_000 },
  ])('that has a limit is quoted and not asked again: $headers', async ({ headers, waitMs }) => {
    using party = await converse()
    const problem = {
      type: 'urn:ietf:params:acme:error:rateLimited',
      detail: 'too many certificates already',
    }
    const before = asked('/order-plz')
    pebble.front.fail('/order-plz', { status: 429, headers, problem })
    await expect(placeOrder(party, names, undefined)).rejects.toMatchObject({
      message: expect.stringContaining('says: "too many certificates already"'),
      kind: 'rateLimited',
      waitMs,
    })
    expect(asked('/order-plz') - before).toBe(1)
  })

  it('refuses every nonce a bounded number of times', async () => {
    using party = await converse()
    const before = asked('/order-plz')
    const problem = { type: 'urn:ietf:params:acme:error:badNonce', detail: 'not this one' }
    pebble.front.fail('/order-plz', { status: 400, problem })
    await expect(placeOrder(party, names, undefined)).rejects.toThrow(/not this one/)
    expect(asked('/order-plz') - before).toBe(100)
  })

  it('answers with something else than ACME', async () => {
    pebble.front.fail('/dir', { status: 200 })
    await expect(open()).rejects.toThrow(/not ACME/)
    pebble.front.heal()
    pebble.front.fail('/dir', { status: 404 })
    await expect(open()).rejects.toThrow(/answered 404/)
  })

  it.concurrent('is not there', async () => {
    const nowhere = { ...settings(), directory: 'https://127.0.0.1:9/dir' }
    await expect(openAuthority(nowhere, AbortSignal.timeout(60_000))).rejects.toThrow(/could not be reached/)
  })

  it.concurrent('has a certificate that is not to be trusted', async () => {
    const untrusting = { ...settings(), ca: undefined }
    await expect(openAuthority(untrusting, AbortSignal.timeout(60_000))).rejects.toThrow(
      /could not be reached: .*self-signed certificate/,
    )
  })

  it('takes longer than it has', async () => {
    const held = pebble.front.hold('/dir')
    await expect(openAuthority(settings(), AbortSignal.timeout(300))).rejects.toThrow(/took too long/)
    held.release()
  })

  it('leaves files that only a killed attempt can have left, which go after a day', () => {
    const scratch = makeFolder('challenges')
    for (const name of ['old', 'new']) writeFileSync(join(scratch, name), '')
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    utimesSync(join(scratch, 'old'), yesterday, yesterday)
    removeOldChallenges(scratch, Date.now())
    expect(readdirSync(scratch)).toEqual(['new'])
  })

  it('names files outside of the folder of challenges', async () => {
    using party = await converse()
    const url = await placeOrder(party, names, undefined)
    const { authorizations } = await readOrder(party, url)
    const hostile = {
      ...party.authority,
      post: async () => ({
        status: 200,
        headers: {},
        text: JSON.stringify({
          status: 'pending',
          identifier: { type: 'dns', value: names[0] },
          challenges: [{ type: 'http-01', url: authorizations[0], token: '../../../etc/cron.d/x' }],
        }),
      }),
    }
    const proving = proveNames(
      { authority: hostile, account: party.account },
      await readOrder(party, url),
      folder,
      () => {},
    )
    await expect(proving).rejects.toThrow(/not ACME.*token/)
  })
})
