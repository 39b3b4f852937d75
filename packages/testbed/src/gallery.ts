// A server that is worth looking at: sites of several types, people of every role, and a failure.
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { openFailpoints } from './failpoints.ts'
import { type Panel, wordpressFields } from './panel.ts'
import { type Reeve, startReeve } from './reeve.ts'
import type { Exhibits } from './screens.ts'

export interface Gallery extends AsyncDisposable {
  reeve: Reeve
  /** Healthy sites of several types. */
  furnish(panel: Panel): Promise<Pick<Exhibits, 'site' | 'done'>>
  /** An operator of these sites and a reader. */
  addPeople(panel: Panel, siteIds: readonly string[]): Promise<void>
  /** A creation that fails. */
  fail(panel: Panel): Promise<Exhibits['failed']>
  /** Makes either daemon fail once, at the point that is named: `site.apply.files:before:kill`. */
  arm(failpoint: string): void
}

/** A fresh Reeve, and what its screens need to be worth looking at. */
export async function openGallery(): Promise<Gallery> {
  const failpoints = openFailpoints()
  const { arm } = failpoints
  const reeve = await startReeve({ env: failpoints.env })
  return {
    reeve,
    furnish,
    addPeople,
    fail: (panel) => fail(panel, arm),
    arm,
    async [Symbol.asyncDispose]() {
      await reeve[Symbol.asyncDispose]()
      failpoints[Symbol.dispose]()
    },
  }
}

async function furnish(panel: Panel): Promise<Pick<Exhibits, 'site' | 'done'>> {
  const fields = { ...wordpressFields, domain: 'journal.example.com', title: 'The Journal' }
  const site = await panel.createSite(fields)
  await panel.createSite({ domain: 'docs.example.com', type: 'static', profile: 'maximum' })
  await panel.createSite({ ...wordpressFields, domain: 'shop.example.com', profile: 'commerce' })
  await panel.createSite({ domain: 'booking.example.com', type: 'laravel' })
  await addPeople(panel, [site.id])
  const { body } = await panel.call<{ tasks: Task[] }>('GET', `/api/tasks`)
  const done = body.tasks.find((task) => task.site_id === site.id)
  if (!done) throw new Error(`no task of ${site.domain} is listed`)
  return { site, done: done.id }
}

/** Those who share the server with the administrator, with their roles for names. */
export const people = {
  operator: { email: 'operator@example.com', password: 'operator-password-7f3a' },
  readonly: { email: 'reader@example.com', password: 'readonly-password-7f3a' },
} as const

async function addPeople(panel: Panel, siteIds: readonly string[]): Promise<void> {
  const operator = { ...people.operator, role: 'operator', site_ids: siteIds }
  for (const user of [operator, { ...people.readonly, role: 'readonly' }]) {
    const { status, body } = await panel.call('POST', '/api/users', user)
    if (status !== 201) throw new Error(`creating a user answered ${status}: ${JSON.stringify(body)}`)
  }
}

async function fail(panel: Panel, arm: Gallery['arm']): Promise<Exhibits['failed']> {
  arm('site.apply.application:before:error')
  const { body: created } = await panel.call<{ task: Task; site: Site }>('POST', '/api/sites', {
    ...wordpressFields,
    domain: 'campaign.example.com',
  })
  const failed = await panel.taskEnd(created.task.id)
  if (failed.state !== 'failed') throw new Error(`the creation that should fail is ${failed.state}`)
  return { task: failed.id, site: created.site.id }
}
