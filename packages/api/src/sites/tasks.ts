import { SiteId } from '@reeve/contract/primitives.ts'
import {
  CmsPasswordHash,
  SiteSpec,
  siteApply,
  siteApplySteps,
  siteRemove,
  siteRemoveSteps,
} from '@reeve/contract/sites.ts'
import * as z from 'zod'
import { defineTask } from '../tasks/definition.ts'
import { deleteSiteRow, forgetSiteFacts, setSiteFacts, setSiteState, storeSpec } from './store.ts'

const applyDeadlineMs = 10 * 60_000
const removeDeadlineMs = 5 * 60_000

export const createSiteTask = defineTask({
  kind: 'site.create',
  input: z.object({ site: SiteSpec, admin_password_hash: CmsPasswordHash.nullable() }),
  steps: [
    {
      name: 'apply',
      substeps: ({ site }) => siteApplySteps(site.type),
      async run({ call, db }, input) {
        const facts = await call(siteApply, input, applyDeadlineMs)
        await setSiteFacts(db, input.site.id, facts)
      },
      async undo({ call }, { site }) {
        await call(siteRemove, { id: site.id }, removeDeadlineMs)
      },
    },
    {
      name: 'activate',
      async run({ db }, { site }) {
        await setSiteState(db, site.id, 'active')
      },
    },
  ],
  async settle(transaction, { site }, outcome) {
    switch (outcome.kind) {
      case 'succeeded':
        return
      case 'undone':
        return await deleteSiteRow(transaction, site.id)
      case 'stuck':
        return await setSiteState(transaction, site.id, 'failed', outcome.error)
    }
  },
})

/** A change of the document: the server converges first, and the document follows what is served. */
export const configureSiteTask = defineTask({
  kind: 'site.configure',
  input: z.object({ before: SiteSpec, after: SiteSpec }),
  steps: [
    {
      name: 'apply',
      substeps: ({ after }) => siteApplySteps(after.type),
      async run({ call, db }, { after }) {
        const facts = await call(siteApply, { site: after, admin_password_hash: null }, applyDeadlineMs)
        await setSiteFacts(db, after.id, facts)
      },
      async undo({ call, db }, { before }) {
        const facts = await call(siteApply, { site: before, admin_password_hash: null }, applyDeadlineMs)
        await setSiteFacts(db, before.id, facts)
      },
    },
  ],
  async settle(transaction, { before, after }, outcome) {
    await storeSpec(transaction, outcome.kind === 'succeeded' ? after : before)
    if (outcome.kind !== 'stuck') return await setSiteState(transaction, after.id, 'active')
    await setSiteState(
      transaction,
      after.id,
      'failed',
      `Changing it did not finish, and the change could not be taken back. ${outcome.error}`,
    )
  },
})

export const deleteSiteTask = defineTask({
  kind: 'site.delete',
  input: z.object({ id: SiteId }),
  steps: [
    {
      name: 'remove',
      substeps: () => siteRemoveSteps,
      async run({ call }, { id }) {
        await call(siteRemove, { id }, removeDeadlineMs)
      },
      // A half-removed site cannot be put back: there is no undo, and the settling below says so.
    },
  ],
  async settle(transaction, { id }, outcome) {
    if (outcome.kind === 'succeeded') return await deleteSiteRow(transaction, id)
    await forgetSiteFacts(transaction, id)
    await setSiteState(
      transaction,
      id,
      'failed',
      `Deleting it did not finish. ${outcome.error} Delete it again.`,
    )
  },
})

export const siteTasks = [createSiteTask, configureSiteTask, deleteSiteTask]
