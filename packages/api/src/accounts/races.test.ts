// What works once works once, also when a hundred try at the same moment, round after round.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Panel, password, startPanel } from '../testing/panel.ts'
import { countStatus } from '../testing/sign-in.ts'
import { deviceCookieFor } from './known-device.ts'
import { timeStep, totpCode } from './totp.ts'
import { spendCode } from './two-factor.ts'

const rivals = 100
const rounds = 20
/** Argon2 is the price of the setup's rounds; two of them share a busy machine's cores. */
const patienceMs = 600_000
/** No further round of sign-ins is begun after this long. */
const roundsWithinMs = 12_000

/** Each on a server of its own, because a server is set up once. */
async function setUpAtOnce(): Promise<number[]> {
  await using panel = await startPanel()
  const token = panel.setupToken()
  const answers = await Promise.all(
    Array.from({ length: rivals }, (_, index) =>
      panel.send('POST', '/api/setup', { body: { token, email: `first${index}@example.test`, password } }),
    ),
  )
  const winners = answers.filter(({ status }) => status === 201)
  const accounts = await panel.context.db.selectFrom('accounts').select(['email', 'role']).execute()
  expect(accounts).toEqual(winners.map(({ json }) => ({ email: json['email'], role: 'admin' })))
  expect(readdirSync(panel.context.config.paths.state)).not.toContain('setup-token')
  return answers.map(({ status }) => status)
}

test(
  'one setup token makes one account',
  async () => {
    const answers: number[] = []
    for (let round = 0; round < rounds; round++) {
      const statuses = await setUpAtOnce()
      expect(statuses.filter((status) => status === 201)).toHaveLength(1)
      answers.push(...statuses)
    }
    const count = (status: number) => answers.filter((given) => given === status).length
    console.log(
      `setup token: ${rounds} rounds of ${rivals}, ${count(201)} accounts made, ` +
        `${count(409)} told that the setup is complete, ${count(403)} that the token is spent, ${count(429)} to wait`,
    )
    expect(count(201) + count(409) + count(403) + count(429)).toBe(rounds * rivals)
    // Those that were let in and lost, not only those that the queue turned away.
    expect(count(409)).toBeGreaterThan(rounds)
  },
  patienceMs,
)

describe('a code', () => {
  let panel: Panel
  beforeAll(async () => {
    panel = await startPanel()
  })
  afterAll(() => panel[Symbol.asyncDispose]())

  const readAccount = (accountId: string) =>
    panel.context.db
      .selectFrom('accounts')
      .select(['id', 'totp_seed', 'totp_pending', 'totp_last_step'])
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow()

  async function enrol() {
    const { accountId, email, cookie } = await panel.signedIn('admin')
    await panel.send('POST', '/api/account/2fa/begin', { cookie })
    const pending = (await readAccount(accountId)).totp_pending ?? Buffer.alloc(0)
    const seed = panel.context.secrets.decrypt(pending, accountId)
    const body = { code: totpCode(seed, timeStep(Date.now())) }
    const confirm = await panel.send('POST', '/api/account/2fa/confirm', { cookie, body })
    expect(confirm.status).toBe(200)
    return { accountId, email, seed, recoveryCodes: confirm.json['recovery_codes'] as string[] }
  }

  async function winners(accountId: string, code: string): Promise<number> {
    const { db, secrets } = panel.context
    // All of them have read the account before the first of them writes.
    const { id, totp_seed, totp_last_step } = await readAccount(accountId)
    const account = { id, totp_last_step, totp_seed: totp_seed ?? Buffer.alloc(0) }
    const attempts = Array.from({ length: rivals }, () =>
      db.transaction().execute((transaction) => spendCode(transaction, secrets, account, code)),
    )
    return (await Promise.all(attempts)).filter(Boolean).length
  }

  type Person = Awaited<ReturnType<typeof enrol>>
  const allowAgain = (accountId: string) =>
    panel.context.db.updateTable('accounts').set({ totp_last_step: 1 }).where('id', '=', accountId).execute()
  const sessionsOf = async (accountId: string) => {
    const rows = panel.context.db.selectFrom('sessions').select('id').where('account_id', '=', accountId)
    return (await rows.execute()).length
  }

  /**
   * Half of the rivals sign in from a device that is known and half from an address of its own, so that neither the
   * delays nor the queue turn one away: all of them come to the code.
   */
  async function signInAtOnce({ accountId, email }: Person, totp: string, round: number): Promise<void> {
    const before = await sessionsOf(accountId)
    const answers = await Promise.all(
      Array.from({ length: rivals }, (_, rival) => {
        const device = deviceCookieFor(panel.context.secrets, accountId).split(';')[0] ?? ''
        return panel.send('POST', '/api/login', {
          body: { email, password, totp },
          from: `127.1.${round + 1}.${rival + 1}`,
          headers: rival % 2 === 0 ? { cookie: device } : {},
        })
      }),
    )
    expect([countStatus(answers, 200), countStatus(answers, 401)]).toEqual([1, rivals - 1])
    expect(await sessionsOf(accountId)).toBe(before + 1)
  }

  async function roundsOverHttp(play: (round: number) => Promise<void>): Promise<number> {
    const until = Date.now() + roundsWithinMs
    let round = 0
    while (round < rounds && (round === 0 || Date.now() < until)) await play(round++)
    return round
  }

  test('of the authenticator lets one in', async () => {
    const { accountId, seed } = await enrol()
    let won = 0
    for (let round = 0; round < rounds; round++) {
      await allowAgain(accountId)
      const inRound = await winners(accountId, totpCode(seed, timeStep(Date.now())))
      expect(inRound).toBe(1)
      won += inRound
    }
    console.log(`authenticator code: ${rounds} rounds of ${rivals}, ${won} let in`)
  })

  test('for recovery lets one in, and nobody the second time', async () => {
    const people = [await enrol(), await enrol()]
    const codes = people.flatMap(({ accountId, recoveryCodes }) =>
      recoveryCodes.map((code) => ({ accountId, code })),
    )
    expect(codes).toHaveLength(rounds)
    let won = 0
    for (const { accountId, code } of codes) {
      const inRound = await winners(accountId, code)
      expect(inRound).toBe(1)
      won += inRound
    }
    for (const { accountId, code } of codes) expect(await winners(accountId, code)).toBe(0)
    console.log(`recovery code: ${codes.length} rounds of ${rivals}, ${won} let in`)
  })
  test(
    'of the authenticator makes one session of a hundred sign-ins',
    async () => {
      const person = await enrol()
      const played = await roundsOverHttp(async (round) => {
        await allowAgain(person.accountId)
        // The next one is taken as well, and for longest.
        await signInAtOnce(person, totpCode(person.seed, timeStep(Date.now()) + 1), round)
      })
      console.log(`authenticator code over HTTP: ${played} rounds of ${rivals}, ${played} let in`)
    },
    patienceMs,
  )

  test(
    'for recovery makes one session of a hundred sign-ins',
    async () => {
      const people = [await enrol(), await enrol()]
      const codes = people.flatMap((person) => person.recoveryCodes.map((code) => ({ person, code })))
      const played = await roundsOverHttp(async (round) => {
        const { person, code } = codes[round]!
        await signInAtOnce(person, code, round + rounds)
      })
      console.log(`recovery code over HTTP: ${played} rounds of ${rivals}, ${played} let in`)
    },
    patienceMs,
  )
})
