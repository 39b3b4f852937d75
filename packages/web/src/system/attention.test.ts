import type { Task } from '@reeve/contract/tasks.ts'
import { expect, it } from 'vitest'
import { exampleCertificate, exampleSite as site } from '../sites/example-site.ts'
import { concernsOf } from './attention.ts'

const now = Date.parse('2026-03-10T12:00:00Z')

const task = (part: Partial<Task>): Task => ({
  id: 't1',
  kind: 'site.create',
  site_id: 'sbbbbbbbbbbbbbbb',
  site_domain: 'b.test',
  state: 'failed',
  progress: 1,
  steps: [],
  error: 'The web server refused the configuration.',
  actor: 'a@a.test',
  created_at: '2026-03-10T11:00:00Z',
  started_at: null,
  finished_at: null,
  ...part,
})

it('is silent when nothing is wrong', () => {
  expect(concernsOf([site({})], [task({ state: 'succeeded' }), task({ state: 'running' })], now)).toEqual([])
})

it('names a failed site once, although its task failed too', () => {
  const concerns = concernsOf(
    [site({ state: 'failed', failure: 'Undo did not finish.' })],
    [task({ site_id: 'saaaaaaaaaaaaaaa', site_domain: 'a.test' })],
    now,
  )
  expect(concerns.map((concern) => [concern.subject, concern.text])).toEqual([
    ['a.test', 'Undo did not finish.'],
  ])
})

it('forgets a failed task when the same was done since, or after a day', () => {
  const failed = task({ id: 't1' })
  expect(concernsOf([], [failed], now)).toHaveLength(1)
  expect(concernsOf([], [task({ id: 't2', state: 'succeeded' }), failed], now)).toEqual([])
  expect(concernsOf([], [task({ created_at: '2026-03-09T11:00:00Z' })], now)).toEqual([])
})

it('warns of a public certificate two weeks ahead, of a self-signed one never', () => {
  const soon = '2026-03-20T12:00:00Z'
  expect(
    concernsOf([site({ certificate: exampleCertificate({ issuer: 'acme', expires_at: soon }) })], [], now),
  ).toMatchObject([{ severity: 'attention', text: 'Its certificate expires in 10 days.' }])
  expect(
    concernsOf(
      [site({ certificate: exampleCertificate({ issuer: 'self-signed', expires_at: soon }) })],
      [],
      now,
    ),
  ).toEqual([])
  expect(
    concernsOf(
      [site({ certificate: exampleCertificate({ issuer: 'acme', expires_at: '2026-03-09T12:00:00Z' }) })],
      [],
      now,
    ),
  ).toMatchObject([{ severity: 'failed', text: 'Its certificate has expired.' }])
  const late = '2026-06-20T12:00:00Z'
  const refused = exampleCertificate({ expires_at: late, last_error: 'The name is not known.' })
  expect(concernsOf([site({ certificate: refused })], [], now)).toMatchObject([
    { severity: 'attention', text: 'The last renewal did not work. The name is not known.' },
  ])
})
