// The database server's data directory: whole or not there. A half-made one looks like a server that was there
// before and does not start.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import { run } from '../command.ts'
import type { HostUser } from '../host-accounts.ts'
import { syncDirectory } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { removeTree } from '../sites/layout.ts'

/** Makes the system tables beside the final place and moves them there in one step. */
export async function ensureDataDirectory(paths: Paths, owner: HostUser): Promise<void> {
  if (existsSync(`${paths.mariadbData}/mysql`)) return
  const unfinished = `${paths.mariadbData}.new`
  await removeTree(unfinished)
  mkdirSync(unfinished, { mode: 0o700 })
  chownSync(unfinished, owner.uid, owner.gid)
  const settings = [`--defaults-file=${paths.mariadbConf}`, `--datadir=${unfinished}`, '--user=mysql']
  const choices = ['--skip-test-db', '--skip-name-resolve', '--auth-root-authentication-method=socket']
  try {
    await run('mariadb-install-db', [...settings, ...choices], { timeoutMs: 120_000 })
  } catch (error) {
    const reason = existsSync(paths.mariadbLog) ? lastLines(readFileSync(paths.mariadbLog, 'utf8')) : ''
    throw new AppError('internal', `The database server's tables could not be made: ${reason}`, {}, error)
  }
  // rename(2) takes the place of the directory only while that is empty.
  renameSync(unfinished, paths.mariadbData)
  chmodSync(paths.mariadbData, 0o700)
  syncDirectory(`${paths.mariadbData}/..`)
}

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-8).join('\n')
