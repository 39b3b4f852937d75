import { AppError } from '@reeve/contract/errors.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Panel, type SignedIn, startPanel } from '../testing/panel.ts'
import { addSite } from '../testing/site.ts'
import { sha512Crypt } from './sha512-crypt.ts'

let panel: Panel
let admin: SignedIn
let siteId: string
beforeEach(async () => {
  panel = await startPanel()
  admin = await panel.signedIn('admin')
  siteId = (await addSite(panel)).siteId
})
afterEach(() => panel[Symbol.asyncDispose]())

const send = (method: string, path: string, body?: unknown) =>
  panel.send(method, `/api/sites/${siteId}/${path}`, { cookie: admin.cookie, body })
const applied = () =>
  panel.agent.inputs.filter(({ name }) => name === 'access.apply').map(({ input }) => input as Applied)
interface Applied {
  enabled: boolean
  password_hash: string | null
  keys: string[]
}
const fails = (error: Error) =>
  panel.agent.answer('access.apply', () => {
    throw error
  })
const works = () =>
  panel.agent.answer('access.apply', () => ({ host: 'h.example.test', port: 22, user: 'site-1' }))
const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`

describe('a password', () => {
  test('is made, shown once, and reaches the agent and the database as a hash that fits it', async () => {
    const { json } = await send('POST', 'sftp', { enabled: true })
    const password = String(json['password'])
    expect(json).toMatchObject({ enabled: true, has_password: true, user: 'site-1' })
    const hash = applied()[0]?.password_hash ?? ''
    expect(sha512Crypt(password, hash.split('$')[2])).toBe(hash)
    const row = await panel.context.db.selectFrom('site_access').selectAll().executeTakeFirst()
    expect(row).toMatchObject({ enabled: 1, password_hash: hash })
    expect((await send('GET', 'sftp')).text).not.toContain('$6$')
  })

  test('of the caller is not shown again', async () => {
    const { json, text } = await send('POST', 'sftp', { enabled: true, password: 'chosen by a person' })
    expect(json['password']).toBeNull()
    expect(text).not.toContain('chosen')
  })

  test('need not be there', async () => {
    const { json } = await send('POST', 'sftp', { enabled: true, password: null })
    expect(json).toMatchObject({ has_password: false, password: null })
    expect(applied()).toMatchObject([{ enabled: true, password_hash: null, keys: [] }])
  })

  test('is forgotten when it is turned off', async () => {
    await send('POST', 'sftp', { enabled: true })
    await send('POST', 'sftp', { enabled: false })
    expect(applied().at(-1)).toMatchObject({ enabled: false, password_hash: null })
    expect(await panel.context.db.selectFrom('site_access').selectAll().executeTakeFirst()).toMatchObject({
      ...{ enabled: 0, password_hash: null },
    })
  })

  test.each(['short', 'x'.repeat(201), 7])('%j is refused', async (password) => {
    expect((await send('POST', 'sftp', { enabled: true, password })).status).toBe(400)
    expect(applied()).toEqual([])
  })
})

describe('what the agent refuses', () => {
  test('stays as it was', async () => {
    await send('POST', 'sftp', { enabled: true, password: null })
    fails(new AppError('refused', 'sshd would not confine site-1 to its site.'))
    expect((await send('POST', 'sftp', { enabled: true })).json['error']).toBe(
      'sshd would not confine site-1 to its site.',
    )
    expect((await send('POST', 'ssh-keys', { public_key: key })).status).toBe(422)
    expect((await send('POST', 'sftp', { enabled: false })).status).toBe(422)
    expect((await send('GET', 'sftp')).json).toMatchObject({ enabled: true, has_password: false })
    expect((await send('GET', 'ssh-keys')).json).toEqual({ keys: [] })
  })

  test('is shown as let in when the agent died on the way, so that it can be turned off', async () => {
    fails(new Error('the agent dies here'))
    expect((await send('POST', 'sftp', { enabled: true })).status).toBe(502)
    expect((await send('POST', 'ssh-keys', { public_key: key })).status).toBe(502)
    works()
    expect((await send('GET', 'sftp')).json).toMatchObject({ enabled: true })
    const { keys } = (await send('GET', 'ssh-keys')).json as { keys: { fingerprint: string }[] }
    expect(keys).toHaveLength(1)
    fails(new Error('the agent dies here'))
    expect((await send('DELETE', `ssh-keys/${keys[0]?.fingerprint}`)).status).toBe(502)
    expect((await send('POST', 'sftp', { enabled: false })).status).toBe(502)
    works()
    expect((await send('GET', 'sftp')).json).toMatchObject({ enabled: true })
    expect((await send('GET', 'ssh-keys')).json['keys']).toHaveLength(1)
  })
})

describe('a key', () => {
  test('is kept without its comment and options, and shown with its comment', async () => {
    await send('POST', 'sftp', { enabled: true, password: null })
    const { status, json } = await send('POST', 'ssh-keys', { public_key: `  ${key}\tme \u202e<b>\n` })
    expect(status).toBe(201)
    expect(json).toMatchObject({ type: 'ssh-ed25519', comment: 'me <b>' })
    expect(applied().at(-1)?.keys).toEqual([key])
    expect((await send('GET', 'ssh-keys')).json['keys']).toEqual([json])
    expect((await send('POST', 'ssh-keys', { public_key: key })).status).toBe(409)
    expect((await send('DELETE', `ssh-keys/${String(json['fingerprint'])}`)).status).toBe(204)
    expect(applied().at(-1)?.keys).toEqual([])
    expect((await send('GET', 'ssh-keys')).json['keys']).toEqual([])
  })

  test.each([
    [`command="sh" ${key}`, 'options before it are not taken'],
    [`${key} x\n${key}`, 'single line'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----', 'is a private key'],
    [key.slice(0, -4), 'is damaged'],
  ])('%j is refused', async (line, reason) => {
    const { status, json } = await send('POST', 'ssh-keys', { public_key: line })
    expect([status, json['field'], json['error']]).toEqual([
      400,
      'public_key',
      expect.stringContaining(reason),
    ])
    expect(applied()).toEqual([])
  })
})

test('somebody else’s keys cannot be touched by their fingerprint', async () => {
  const other = await addSite(panel)
  const { json } = await send('POST', 'ssh-keys', { public_key: key })
  const { cookie } = await panel.signedIn('operator', [other.siteId])
  const path = `/api/sites/${other.siteId}/ssh-keys/${String(json['fingerprint'])}`
  expect((await panel.send('DELETE', path, { cookie })).status).toBe(204)
  expect((await send('GET', 'ssh-keys')).json['keys']).toHaveLength(1)
})
