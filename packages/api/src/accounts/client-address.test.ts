// Whose wrong passwords are counted together, and which address a session and the audit log show: the socket's
// peer, unless our own proxy says on whose behalf it calls.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Panel, password, type SignedIn, startPanel } from '../testing/panel.ts'

const secret = 'what-only-our-own-proxy-knows'

let panel: Panel
let user: SignedIn
beforeEach(async () => {
  panel = await startPanel({ REEVE_PROXY_SECRET: secret })
  user = await panel.signedIn('readonly')
})
afterEach(() => panel[Symbol.asyncDispose]())

const from = (address: string, proof = secret) => ({ 'x-reeve-proxy': proof, 'x-forwarded-for': address })
const login = (headers: Record<string, string>, email = user.email, given: string = password) =>
  panel.send('POST', '/api/login', { body: { email, password: given }, headers })

/** Addresses of the newest session, and of the last audit event. */
async function recordedAddresses(): Promise<unknown[]> {
  const session = await panel.context.db
    .selectFrom('sessions')
    .select('address')
    .where('account_id', '=', user.accountId)
    .where('id', '!=', user.sessionId)
    .executeTakeFirstOrThrow()
  await panel.context.audit.flush()
  const sent = panel.agent.inputs.filter(({ name }) => name === 'audit.append')
  const events = sent.flatMap(({ input }) => (input as { events: { address: string }[] }).events)
  return [session.address, events.at(-1)?.address]
}

describe('the address of a client', () => {
  test.each([
    ['our proxy, with an IPv4 address', from('203.0.113.9'), '203.0.113.9'],
    ['our proxy, with an IPv6 address', from('2001:db8::9'), '2001:db8::9'],
    ['our proxy, with an IPv4 address in IPv6 form', from('::ffff:203.0.113.9'), '203.0.113.9'],
    ['our proxy, with what is no address', from('<b>203.0.113.9</b>'), '127.0.0.1'],
    ['our proxy, with a list', from('198.51.100.1, 203.0.113.9'), '127.0.0.1'],
    ['somebody with a wrong secret', from('203.0.113.9', 'x'.repeat(secret.length)), '127.0.0.1'],
    ['somebody with no secret', { 'x-forwarded-for': '203.0.113.9' }, '127.0.0.1'],
    [
      'somebody with every other header of that kind',
      {
        forwarded: 'for=203.0.113.9',
        'x-real-ip': '203.0.113.9',
        'cf-connecting-ip': '203.0.113.9',
        'true-client-ip': '203.0.113.9',
      },
      '127.0.0.1',
    ],
  ])('%s', async (_name, headers, expected) => {
    expect((await login(headers)).status).toBe(200)
    expect(await recordedAddresses()).toEqual([expected, expected])
  })

  test('is the peer when the panel has no proxy, whatever it is told', async () => {
    await using alone = await startPanel()
    const { email } = await alone.signedIn('readonly')
    const body = { email, password }
    const { status } = await alone.send('POST', '/api/login', { body, headers: from('203.0.113.9', '') })
    expect(status).toBe(200)
    const sessions = await alone.context.db.selectFrom('sessions').select('address').execute()
    expect(sessions.map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.1'])
  })
})

describe('wrong passwords are counted together', () => {
  /** Each guess at another account, so that only the source is counted. */
  async function guessFrom(addresses: readonly string[]): Promise<number[]> {
    const statuses: number[] = []
    for (const [index, address] of addresses.entries()) {
      const answer = await login(from(address), `nobody${index}@example.test`, 'a wrong guess')
      statuses.push(answer.status)
      if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    return statuses
  }
  const tries = Array.from({ length: 30 }, (_, index) => index)

  test('of one IPv4 address, and of its neighbour not', async () => {
    expect(await guessFrom(tries.map(() => '203.0.113.9'))).toContain(429)
    expect((await login(from('203.0.113.10'))).status).toBe(200)
  })

  test('of one /64 of IPv6, whichever of its addresses, and of the next /64 not', async () => {
    expect(await guessFrom(tries.map((index) => `2001:db8:0:1::${index + 1}`))).toContain(429)
    expect((await login(from('2001:db8:0:2::1'))).status).toBe(200)
  })

  test('of as many IPv4 addresses as there are guesses: each is counted by itself', async () => {
    expect(await guessFrom(tries.map((index) => `203.0.113.${index}`))).toEqual(tries.map(() => 401))
  })
})
