import { AppError } from '@reeve/contract/errors.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import { type Panel, type SignedIn, startPanel } from '../testing/panel.ts'
import { addSite, type AddedSite } from '../testing/site.ts'

let panel: Panel
let admin: SignedIn
let site: AddedSite
let known: { id: string }[]
beforeEach(async () => {
  panel = await startPanel()
  admin = await panel.signedIn('admin')
  site = await addSite(panel)
  // An agent that remembers what it was told.
  known = []
  panel.agent.answer('cron.apply', (input) => {
    known = (input as { jobs: { id: string }[] }).jobs
    return {}
  })
  panel.agent.answer('cron.state', () => ({
    jobs: known.map((job) => ({ ...asState(job), next_runs: ['2026-11-21T10:05:00.000Z'] })),
  }))
})
afterEach(() => panel[Symbol.asyncDispose]())

const asState = (job: object) => {
  const { enabled: _, timeout_s: __, ...rest } = job as Record<string, unknown>
  return { ...rest, built_in: false, last_run: null }
}
const send = (method: string, path: string, body?: unknown) =>
  panel.send(method, path, { cookie: admin.cookie, body })
const list = async () => (await send('GET', `/api/sites/${site.siteId}/cron`)).json['jobs']
const job = { schedule: '*/5 * * * *', command: 'php -v' }
const rows = () =>
  panel.context.db.selectFrom('cron_jobs').select('id').where('site_id', '=', site.siteId).execute()

describe('a job', () => {
  test('is stored, given to the agent with the others, and shown with what the agent knows', async () => {
    const { status, json } = await send('POST', `/api/sites/${site.siteId}/cron`, job)
    expect(status).toBe(201)
    expect(json).toMatchObject({
      ...job,
      enabled: true,
      timeout_s: 300,
      next_runs: ['2026-11-21T10:05:00.000Z'],
    })
    expect(known.map(({ id }) => id)).toEqual([site.cronId, json['id']])
    expect(await list()).toHaveLength(2)
  })

  test('that the agent refuses is not kept', async () => {
    panel.agent.answer('cron.apply', () => {
      throw new AppError('internal', 'The disk is full.')
    })
    const { status, json } = await send('POST', `/api/sites/${site.siteId}/cron`, job)
    expect([status, json['error']]).toEqual([500, 'The disk is full.'])
    expect(await rows()).toEqual([{ id: site.cronId }])
  })

  test('of which nobody knows whether the agent took it stays listed, and is told again', async () => {
    panel.agent.answer('cron.apply', () => {
      throw new Error('the agent dies here')
    })
    expect((await send('POST', `/api/sites/${site.siteId}/cron`, job)).status).toBe(502)
    expect(await rows()).toHaveLength(2)
    panel.agent.answer('cron.apply', (input) => {
      known = (input as { jobs: { id: string }[] }).jobs
      return {}
    })
    expect(await list()).toHaveLength(2)
    expect(known).toHaveLength(2)
  })

  test('is deleted at the agent first', async () => {
    panel.agent.answer('cron.apply', () => {
      throw new AppError('internal', 'The disk is full.')
    })
    expect((await send('DELETE', `/api/cron/${site.cronId}`)).status).toBe(500)
    expect(await rows()).toHaveLength(1)
    panel.agent.answer('cron.apply', () => ({}))
    expect((await send('DELETE', `/api/cron/${site.cronId}`)).status).toBe(204)
    expect(await rows()).toEqual([])
    expect((await send('DELETE', `/api/cron/${site.cronId}`)).status).toBe(404)
  })

  test('is run once at a time', async () => {
    await list()
    expect((await send('POST', `/api/cron/${site.cronId}/run`)).json).toMatchObject({ id: site.cronId })
    panel.agent.answer('cron.run', () => ({ started: false }))
    expect((await send('POST', `/api/cron/${site.cronId}/run`)).status).toBe(409)
  })

  test('number 101 is refused', async () => {
    const row = { ...job, site_id: site.siteId, enabled: 1 as const, timeout_s: 10, created_at: '' }
    const rest = Array.from({ length: 99 }, () => ({ ...row, id: newId('c') }))
    await panel.context.db.insertInto('cron_jobs').values(rest).execute()
    const { status, json } = await send('POST', `/api/sites/${site.siteId}/cron`, job)
    expect([status, json['code']]).toEqual([422, 'refused'])
  })

  test('is refused with the field and the reason', async () => {
    const { status, json } = await send('POST', `/api/sites/${site.siteId}/cron`, {
      ...job,
      schedule: '* 25 * * *',
    })
    expect([status, json['field'], json['error']]).toEqual([
      400,
      'schedule',
      'schedule: cannot hold 25 as hour',
    ])
    expect(panel.agent.calls).not.toContain('cron.apply')
  })
})

describe("WordPress's own tasks", () => {
  const builtInId = () => `c${site.siteId.slice(1)}`

  test('are shown first, run by hand, and never deleted', async () => {
    known = []
    panel.agent.answer('cron.state', () => ({
      jobs: [
        {
          ...asState({ id: builtInId(), schedule: '* * * * *', command: 'x' }),
          built_in: true,
          next_runs: [],
        },
        ...known.map((each) => ({ ...asState(each), next_runs: [] })),
      ],
    }))
    expect(await list()).toMatchObject([
      { id: builtInId(), built_in: true, enabled: true },
      { id: site.cronId },
    ])
    expect((await send('POST', `/api/cron/${builtInId()}/run`)).json).toMatchObject({ built_in: true })
    expect(panel.agent.inputs.find(({ name }) => name === 'cron.run')?.input).toEqual({
      id: site.siteId,
      job: builtInId(),
    })
    expect((await send('DELETE', `/api/cron/${builtInId()}`)).status).toBe(409)
  })

  test('of a site that an operator does not see do not exist', async () => {
    const { cookie } = await panel.signedIn('operator')
    const hidden = await panel.send('POST', `/api/cron/${builtInId()}/run`, { cookie })
    const missing = await panel.send('POST', '/api/cron/caaaaaaaaaaaaaaa/run', { cookie })
    expect([hidden.status, hidden.text]).toEqual([404, missing.text])
  })
})
