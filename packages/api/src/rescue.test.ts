import { mkdtempSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recoverAdmin, showSetupToken } from './rescue.ts'
import { type Panel, password, startPanel } from './testing/panel.ts'

let panel: Panel
let env: NodeJS.ProcessEnv
beforeEach(async () => {
  panel = await startPanel()
  env = { REEVE_ROOT: panel.folder }
})
afterEach(() => panel[Symbol.asyncDispose]())

const login = (email: string, given: string) =>
  panel.send('POST', '/api/login', { body: { email, password: given } })

describe('recovering an account from the host', () => {
  test('lists the accounts without secrets', async () => {
    const { email } = await panel.signedIn('admin')
    const text = await recoverAdmin(env, [])
    expect(text).toContain(`${email}\tadmin\ttwo-factor off`)
    expect(text).not.toContain('argon2')
  })

  test('gives a new password, ends the sessions, and is audited, while the panel runs', async () => {
    const admin = await panel.signedIn('admin')
    const text = await recoverAdmin(env, [admin.email])
    const given = /New password of .*: (\S+)/.exec(text)?.[1] ?? ''
    expect((await panel.send('GET', '/api/me', { cookie: admin.cookie })).status).toBe(401)
    expect((await login(admin.email, password)).status).toBe(401)
    expect((await login(admin.email, given)).status).toBe(200)
    await panel.context.audit.flush()
    expect(JSON.stringify(panel.agent.inputs)).toContain('"actor":"root on the host"')
    expect(JSON.stringify(panel.agent.inputs)).not.toContain(given)
  })

  test('works with the panel stopped, switches the second factor off, and is audited at the next start', async () => {
    const folder = mkdtempSync('/var/tmp/reeve-rescue-')
    const there = { REEVE_ROOT: folder }
    try {
      const stopped = await startPanel(there)
      const admin = await stopped.signedIn('admin')
      const seed = stopped.context.secrets.encrypt(Buffer.alloc(20), admin.accountId)
      await stopped.context.db
        .updateTable('accounts')
        .set({ totp_seed: seed })
        .where('id', '=', admin.accountId)
        .execute()
      await stopped[Symbol.asyncDispose]()
      const text = await recoverAdmin(there, [admin.email, '--disable-2fa'])
      const given = /New password of .*: (\S+)/.exec(text)?.[1] ?? ''

      await using started = await startPanel(there)
      expect((await started.send('GET', '/api/me', { cookie: admin.cookie })).status).toBe(401)
      const body = { email: admin.email, password: given }
      expect((await started.send('POST', '/api/login', { body })).status).toBe(200)
      await started.context.audit.flush()
      const sent = started.agent.inputs.filter(({ name }) => name === 'audit.append')
      const events = sent.flatMap(({ input }) => (input as { events: unknown[] }).events)
      expect(events).toContainEqual(
        expect.objectContaining({
          actor: 'root on the host',
          action: 'recoverAdmin --disable-2fa',
          target: admin.email,
          result: 'ok',
        }),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('leaves the second factor on unless told otherwise', async () => {
    const admin = await panel.signedIn('admin')
    const seed = panel.context.secrets.encrypt(Buffer.alloc(20), admin.accountId)
    await panel.context.db
      .updateTable('accounts')
      .set({ totp_seed: seed })
      .where('id', '=', admin.accountId)
      .execute()
    const kept = await recoverAdmin(env, [admin.email])
    expect(kept).toContain('still on')
    const given = (text: string) => /New password of .*: (\S+)/.exec(text)?.[1] ?? ''
    expect((await login(admin.email, given(kept))).json['totp_required']).toBe(true)
    const without = await recoverAdmin(env, [admin.email, '--disable-2fa'])
    expect((await login(admin.email, given(without))).status).toBe(200)
  })

  test('names an account or a database that is not there', async () => {
    await expect(recoverAdmin(env, ['nobody@example.test'])).rejects.toThrow('no account nobody@example.test')
    await expect(recoverAdmin({ REEVE_ROOT: '/var/tmp/nothing-here' }, [])).rejects.toThrow(
      'no state database',
    )
    expect(await recoverAdmin(env, ['--help'])).toContain('Usage')
  })

  test('shows the setup token while there is one', async () => {
    expect(await showSetupToken(env)).toBe(`${panel.setupToken()}\n`)
    const body = { token: panel.setupToken(), email: 'a@example.test', password }
    expect((await panel.send('POST', '/api/setup', { body })).status).toBe(201)
    await expect(showSetupToken(env)).rejects.toThrow('the setup is complete')
  })
})
