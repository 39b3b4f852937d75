import type { CronJobSpec } from '@reeve/contract/cron.ts'
import type { DatabaseOrTransaction } from '../db/types.ts'

export async function cronJobsOf(db: DatabaseOrTransaction, siteId: string): Promise<CronJobSpec[]> {
  const rows = await db
    .selectFrom('cron_jobs')
    .selectAll()
    .where('site_id', '=', siteId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id, schedule, command, enabled, timeout_s }) => ({
    ...{ id, schedule, command, timeout_s },
    enabled: enabled === 1,
  }))
}

export async function insertCronJob(
  db: DatabaseOrTransaction,
  siteId: string,
  { id, schedule, command, enabled, timeout_s }: CronJobSpec,
): Promise<void> {
  const row = { id, site_id: siteId, schedule, command, enabled: enabled ? 1 : 0, timeout_s } as const
  await db
    .insertInto('cron_jobs')
    .values({ ...row, created_at: new Date().toISOString() })
    .execute()
}

export async function deleteCronJobRow(db: DatabaseOrTransaction, id: string): Promise<void> {
  await db.deleteFrom('cron_jobs').where('id', '=', id).execute()
}
