import type { CertificateFacts } from '@reeve/contract/certificates.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Panel, type SignedIn, startPanel } from '../testing/panel.ts'
import { refreshCertificates } from './refresh.ts'

let panel: Panel
let admin: SignedIn
let id: string
beforeEach(async () => {
  panel = await startPanel()
  admin = await panel.signedIn('admin')
  const body = { domain: 'one.example.test', type: 'static' }
  const { json } = await panel.send('POST', '/api/sites', { cookie: admin.cookie, body })
  await panel.context.tasks.idle()
  id = (json['site'] as { id: string }).id
})
afterEach(() => panel[Symbol.asyncDispose]())

const issued: CertificateFacts = {
  issuer: 'acme',
  expires_at: '2030-03-01T00:00:00.000Z',
  names: ['one.example.test'],
  authority: 'An authority',
  renew_at: '2030-02-01T00:00:00.000Z',
  last_error: null,
}
const issue = () => panel.send('POST', `/api/sites/${id}/certificate`, { cookie: admin.cookie })
const site = async () => (await panel.send('GET', `/api/sites/${id}`, { cookie: admin.cookie })).json
const ended = async (task: unknown) => {
  await panel.context.tasks.idle()
  const { id: taskId } = task as { id: string }
  return (await panel.send('GET', `/api/tasks/${taskId}`, { cookie: admin.cookie })).json
}

describe('issuing a certificate', () => {
  test('is a task with the steps of the agent, and the site shows what came of it', async () => {
    panel.agent.answer('certificate.issue', () => issued)
    const { status, json } = await issue()
    expect(status).toBe(202)
    const { id: taskId } = json['task'] as { id: string }
    expect(await ended(json['task'])).toMatchObject({
      kind: 'certificate.issue',
      state: 'succeeded',
      site_id: id,
      steps: [
        { name: 'pre-flight' },
        { name: 'account' },
        { name: 'order' },
        { name: 'challenge' },
        { name: 'install' },
        { name: 'verify' },
      ],
    })
    const asked = panel.agent.inputs.filter(({ name }) => name === 'certificate.issue')
    expect(asked.map(({ input }) => input)).toEqual([{ id, task: taskId }])
    expect(await site()).toMatchObject({ state: 'active', certificate: issued, system_user: 'site-1' })
  })

  test('that fails leaves the site as it is, with the reason', async () => {
    panel.agent.answer('certificate.issue', () => {
      throw new AppError('refused', 'ca.example says: "too many certificates".')
    })
    expect(await ended((await issue()).json['task'])).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('ca.example says: "too many certificates".'),
    })
    expect(await site()).toMatchObject({
      state: 'active',
      certificate: { issuer: 'self-signed', last_error: 'ca.example says: "too many certificates".' },
    })
  })

  test('asks again for the same task when the agent was killed, and only then', async () => {
    let calls = 0
    panel.agent.answer('certificate.issue', () => {
      calls++
      if (calls === 1) throw new Error('the connection breaks')
      return issued
    })
    expect(await ended((await issue()).json['task'])).toMatchObject({ state: 'succeeded' })
    const tasks = panel.agent.inputs.filter(({ name }) => name === 'certificate.issue')
    expect(tasks).toHaveLength(2)
    expect(tasks[0]?.input).toEqual(tasks[1]?.input)
    expect(await site()).toMatchObject({ certificate: { last_error: null } })
  })

  test('is refused at once without the agent, and for a site that another task works on', async () => {
    const { promise, resolve } = Promise.withResolvers<CertificateFacts>()
    panel.agent.answer('certificate.issue', () => promise)
    expect((await issue()).status).toBe(202)
    expect((await issue()).status).toBe(409)
    resolve(issued)
    await panel.context.tasks.idle()
    await panel.agent.stop()
    expect((await issue()).status).toBe(502)
    await panel.agent.start()
  })
})

describe('what the timer of the agent renewed', () => {
  test('is stored when it is news, and nothing else of the site is touched', async () => {
    const before = await site()
    panel.agent.answer('certificate.list', () => ({ certificates: [{ site: id, ...issued }] }))
    await refreshCertificates(panel.context)
    const after = await site()
    expect(after).toEqual({ ...before, certificate: issued })
  })

  test('is left to the task that works on the site', async () => {
    const { promise, resolve } = Promise.withResolvers<CertificateFacts>()
    panel.agent.answer('certificate.issue', () => promise)
    panel.agent.answer('certificate.list', () => ({
      certificates: [{ site: id, ...issued, authority: 'The one before' }],
    }))
    const { json } = await issue()
    await refreshCertificates(panel.context)
    expect(await site()).toMatchObject({ certificate: { issuer: 'self-signed' } })
    resolve(issued)
    await ended(json['task'])
    expect(await site()).toMatchObject({ certificate: issued })
  })

  test('of a site that the panel does not know is nothing', async () => {
    const other = `${id.slice(0, -1)}${id.endsWith('a') ? 'b' : 'a'}`
    panel.agent.answer('certificate.list', () => ({ certificates: [{ site: other, ...issued }] }))
    await refreshCertificates(panel.context)
    expect(await site()).toMatchObject({ certificate: { issuer: 'self-signed' } })
  })
})
