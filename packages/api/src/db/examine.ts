// The state database for `reeve doctor`. Its owner could have written anything into it, so root does not read it as
// root: the process becomes the owner first, for good.
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { readConfig } from '../config.ts'

export interface Examination {
  check: string
  why: string
  state: 'ok' | 'failed'
  what: string
  fix?: string
}

export function examineState(env: NodeJS.ProcessEnv): Examination {
  const { database, backups } = readConfig(env).paths
  const about = {
    check: 'state database',
    why: 'It holds the accounts, the sites as they should be, and the tasks.',
  }
  const fix = `systemctl stop reeve-api, put the newest copy of ${backups} back to ${database}, systemctl start reeve-api`
  if (!existsSync(database)) {
    return { ...about, state: 'failed', what: `there is no ${database}`, fix: 'systemctl restart reeve-api' }
  }
  try {
    becomeOwnerOf(database)
    const problem = integrityOf(database)
    if (problem === 'ok') return { ...about, state: 'ok', what: 'the state database is intact' }
    return { ...about, state: 'failed', what: `the state database is damaged: ${problem}`, fix }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ...about, state: 'failed', what: `the state database is damaged: ${reason}`, fix }
  }
}

function becomeOwnerOf(path: string): void {
  const { uid, gid } = statSync(path)
  if (process.getuid?.() !== 0 || uid === 0) return
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

function integrityOf(path: string): string {
  const database = new DatabaseSync(path, { timeout: 5000 })
  try {
    return String(database.prepare('pragma integrity_check(1)').get()?.['integrity_check'])
  } finally {
    database.close()
  }
}
