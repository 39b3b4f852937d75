// The agent's memory of cron: jobs, the last run of each, and up to which minute the clock has been looked at. A file
// of its own, because it is written every minute and worth little after a loss.
import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type CronJobSpec, CronRun } from '@reeve/contract/cron.ts'
import { CronJobSpec as CronJobSchema } from '@reeve/contract/cron.ts'
import { SiteId } from '@reeve/contract/primitives.ts'

export interface StoredJob extends CronJobSpec {
  siteId: SiteId
}

export type CronStore = ReturnType<typeof openCronStore>

const schema = `
  CREATE TABLE IF NOT EXISTS jobs (
    site_id TEXT NOT NULL, id TEXT NOT NULL, schedule TEXT NOT NULL, command TEXT NOT NULL, enabled INTEGER NOT NULL,
    timeout_s INTEGER NOT NULL, PRIMARY KEY (site_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS runs (
    site_id TEXT NOT NULL, job TEXT NOT NULL, started_at TEXT NOT NULL, finished_at TEXT, exit_code INTEGER,
    outcome TEXT NOT NULL, output TEXT NOT NULL, PRIMARY KEY (site_id, job)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS clock (one INTEGER PRIMARY KEY CHECK (one = 1), seen_until INTEGER NOT NULL) STRICT;
`

export function openCronStore(path: string) {
  const db = new DatabaseSync(path)
  chmodSync(path, 0o600)
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=5000')
  db.exec(schema)
  return { ...jobRows(db), ...runRows(db), ...clockRow(db), close: () => db.close() }
}

function jobRows(db: DatabaseSync) {
  const read = (row: Record<string, unknown>): StoredJob => ({
    siteId: SiteId.parse(row['site_id']),
    ...CronJobSchema.parse({
      id: row['id'],
      schedule: row['schedule'],
      command: row['command'],
      enabled: row['enabled'] === 1,
      timeout_s: row['timeout_s'],
    }),
  })
  return {
    listJobs: (): StoredJob[] => db.prepare('SELECT * FROM jobs ORDER BY site_id, id').all().map(read),
    jobsOf: (siteId: SiteId): StoredJob[] =>
      db.prepare('SELECT * FROM jobs WHERE site_id = ? ORDER BY id').all(siteId).map(read),
    /** Makes these the site's jobs; what is known of the runs of others is forgotten. */
    replaceJobs(siteId: SiteId, jobs: readonly CronJobSpec[], keptRuns: readonly string[]): void {
      db.exec('BEGIN IMMEDIATE')
      try {
        db.prepare('DELETE FROM jobs WHERE site_id = ?').run(siteId)
        const insert = db.prepare('INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?)')
        for (const job of jobs) {
          insert.run(siteId, job.id, job.schedule, job.command, job.enabled ? 1 : 0, job.timeout_s)
        }
        const kept = JSON.stringify([...jobs.map(({ id }) => id), ...keptRuns])
        db.prepare('DELETE FROM runs WHERE site_id = ? AND job NOT IN (SELECT value FROM json_each(?))').run(
          siteId,
          kept,
        )
        db.exec('COMMIT')
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
  }
}

export type EndedRun = Pick<CronRun, 'exit_code' | 'outcome' | 'output'>

function runRows(db: DatabaseSync) {
  return {
    runOf(siteId: SiteId, job: string): CronRun | null {
      const row = db.prepare('SELECT * FROM runs WHERE site_id = ? AND job = ?').get(siteId, job)
      if (!row) return null
      const { started_at, finished_at, exit_code, outcome, output } = row
      return CronRun.parse({ started_at, finished_at, exit_code, outcome, output })
    },
    beginRun(siteId: SiteId, job: string, at: Date): void {
      db.prepare("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, NULL, NULL, 'running', '')").run(
        siteId,
        job,
        at.toISOString(),
      )
    },
    /** Nothing when the job was removed meanwhile. */
    endRun(siteId: SiteId, job: string, at: Date, { exit_code, outcome, output }: EndedRun): void {
      db.prepare(
        `UPDATE runs SET finished_at = ?, exit_code = ?, outcome = ?, output = ?
         WHERE site_id = ? AND job = ? AND outcome = 'running'`,
      ).run(at.toISOString(), exit_code, outcome, output, siteId, job)
    },
    /** Runs of an agent that was killed; the kernel has ended their processes with it. */
    interruptRuns(at: Date): void {
      db.prepare("UPDATE runs SET finished_at = ?, outcome = 'interrupted' WHERE outcome = 'running'").run(
        at.toISOString(),
      )
    },
  }
}

function clockRow(db: DatabaseSync) {
  return {
    /** The last moment up to which due jobs were started. */
    seenUntil(): Date | undefined {
      const row = db.prepare('SELECT seen_until FROM clock').get()
      return row && new Date(Number(row['seen_until']))
    },
    setSeenUntil(at: Date): void {
      db.prepare('INSERT OR REPLACE INTO clock VALUES (1, ?)').run(at.getTime())
    },
  }
}
