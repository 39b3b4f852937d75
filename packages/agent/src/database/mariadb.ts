// MariaDB through its own client: statements on standard input, root by the socket, sites by a password file.
import { randomBytes } from 'node:crypto'
import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { type CommandOptions, run } from '../command.ts'
import type { Paths } from '../paths.ts'

/** Database and account of a site; `_` is a wildcard in GRANT and is written `\_` there. */
export const databaseName = (siteNumber: number): string => `site_${siteNumber}`

const clientArgs = (paths: Paths) => [
  '--no-defaults',
  '--protocol=socket',
  `--socket=${paths.mariadbSocket}`,
  '--default-character-set=utf8mb4',
  '--batch',
  '--skip-column-names',
]

/** The client's own words for a server that it cannot reach, or that left (MariaDB, "Error Codes"). */
const isAway = /: ERROR (?:2002|2003|2006|2013) /

/** Runs the client; says it plainly when there is no server to talk to. */
async function runClient(args: readonly string[], options: CommandOptions): Promise<string> {
  try {
    return (await run('mariadb', args, options)).stdout
  } catch (error) {
    const isAbsent = error instanceof AppError && isAway.test(error.message)
    throw isAbsent ? new AppError('internal', absent, {}, error) : error
  }
}

const absent = 'The database server (mariadb) does not answer. Start it and try again.'

/** Runs statements as the server's root; returns the tab-separated answer. */
export async function sqlAsRoot(paths: Paths, statements: string, timeoutMs = 30_000): Promise<string> {
  return runClient([...clientArgs(paths), '--user=root'], { input: statements, timeoutMs })
}

/** Like `sqlAsRoot`, but a statement that fails costs only its own answer. */
export async function tryEachAsRoot(paths: Paths, statements: readonly string[]): Promise<string> {
  const input = statements.join('\n')
  const args = [...clientArgs(paths), '--user=root', '--force']
  return runClient(args, { input, timeoutMs: 60_000, accept: [0, 1] })
}

export interface SiteDatabase {
  name: string
  password: string
}

/** The database and its account, with rights on that database alone. */
export async function ensureDatabase(paths: Paths, database: SiteDatabase): Promise<void> {
  const { name, password } = database
  await sqlAsRoot(
    paths,
    `CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
     CREATE USER IF NOT EXISTS '${name}'@'localhost' IDENTIFIED BY '${password}';
     ALTER USER '${name}'@'localhost' IDENTIFIED BY '${password}';
     GRANT ALL PRIVILEGES ON \`${name.replaceAll('_', '\\_')}\`.* TO '${name}'@'localhost';`,
  )
}

/** Empties the database: only for a site that was never served. */
export async function recreateDatabase(paths: Paths, database: SiteDatabase): Promise<void> {
  await sqlAsRoot(paths, `DROP DATABASE IF EXISTS \`${database.name}\`;`)
  await ensureDatabase(paths, database)
}

export async function dropDatabase(paths: Paths, name: string): Promise<void> {
  await sqlAsRoot(paths, `DROP DATABASE IF EXISTS \`${name}\`; DROP USER IF EXISTS '${name}'@'localhost';`)
}

/** Runs SQL with no more rights than the site's own account has. */
export async function sqlAsSite(
  paths: Paths,
  database: SiteDatabase,
  statements: string,
  timeoutMs = 60_000,
): Promise<string> {
  const optionFile = join(paths.agentState, `.client-${randomBytes(8).toString('hex')}`)
  writeFileSync(optionFile, `[client]\nuser=${database.name}\npassword="${database.password}"\n`, {
    mode: 0o600,
    flag: 'wx',
  })
  try {
    const [, ...rest] = clientArgs(paths)
    const args = [
      `--defaults-file=${optionFile}`,
      ...rest,
      '--binary-mode',
      '--local-infile=0',
      database.name,
    ]
    return await runClient(args, { input: statements, timeoutMs })
  } finally {
    unlinkSync(optionFile)
  }
}

export async function isMariadbReady(paths: Paths): Promise<boolean> {
  try {
    return (await sqlAsRoot(paths, 'SELECT 1;', 2000)).trim() === '1'
  } catch {
    return false
  }
}
