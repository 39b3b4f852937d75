// A database template per WordPress version: the real installer runs once in a scratch database, as an account
// without any rights elsewhere; every site afterwards is an import.
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, lchownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { run } from '../command.ts'
import { sqlAsRoot } from '../database/mariadb.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { replaceFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import type { Core } from './core.ts'
import { buildRelease } from './release.ts'
import { renderWpConfig } from './render-wp-config.ts'
import { runCms } from './runner.ts'
import { openScratch, type Scratch } from './scratch.ts'
import { makeTemplate, placeholders } from './template-sql.ts'

/** Raise it when the same core would give another template. */
const revision = 2

export interface TemplateContext {
  paths: Paths
  lock: KeyedLock
}

/** Path of the template for this core; made on first use. */
export function ensureTemplate({ paths, lock }: TemplateContext, core: Core): Promise<string> {
  const path = templatePath(paths, core)
  if (existsSync(path)) return Promise.resolve(path)
  return lock.hold('wordpress-template', async () => {
    if (existsSync(path)) return path
    mkdirSync(join(paths.agentState, 'wordpress'), { recursive: true, mode: 0o700 })
    replaceFile(path, await installOnce(paths, core), { mode: 0o600 })
    return path
  })
}

const templatePath = (paths: Paths, core: Core): string =>
  join(paths.agentState, 'wordpress', `template-${core.version}-${revision}.sql`)

async function installOnce(paths: Paths, core: Core): Promise<string> {
  await dropScratchDatabases(paths)
  await using scratch = openScratch(paths.cores)
  await using database = await openScratchDatabase(paths)
  const release = await buildScratchRelease(paths, core, scratch, database)
  const installedAt = Math.floor(Date.now() / 1000)
  const installation = { paths, site: scratch.site, release, url: new URL(placeholders.url) }
  const installed = await runCms({
    ...installation,
    command: 'install',
    args: {
      title: placeholders.title,
      user: placeholders.adminUser,
      email: placeholders.adminEmail,
      password: randomBytes(24).toString('base64url'),
    },
  })
  if (installed.version !== core.version || installed.user_id !== 1) {
    throw new AppError(
      'internal',
      `Installing WordPress ${core.version} gave something else; no template was made.`,
    )
  }
  await runCms({ ...installation, command: 'flush-permalinks', args: {} })
  await runCms({ ...installation, command: 'first-visit', args: {} })
  await sqlAsRoot(paths, `USE \`${database.name}\`;\n${settle}`)
  const schema = await dump(paths, database.name, ['--no-data'])
  const data = await dump(paths, database.name, ['--no-create-info', '--order-by-primary'])
  return makeTemplate(schema, data, installedAt)
}

/** What differs from one run of the installer to the next becomes a placeholder or goes. */
const settle = [
  `UPDATE wp_users SET user_pass = '${placeholders.passwordHash}', user_registered = '${placeholders.date}';`,
  `UPDATE wp_posts SET post_date = '${placeholders.date}', post_modified = '${placeholders.date}',
     post_modified_gmt = '${placeholders.date}',
     post_date_gmt = IF(post_date_gmt = 0, post_date_gmt, '${placeholders.date}');`,
  `UPDATE wp_comments SET comment_date = '${placeholders.date}', comment_date_gmt = '${placeholders.date}';`,
  `UPDATE wp_options SET option_value = '${placeholders.emailCheckAt}' WHERE option_name = 'admin_email_lifespan';`,
  "DELETE FROM wp_options WHERE option_name = 'reeve_connector';",
  "DELETE FROM wp_options WHERE option_name LIKE '\\_transient\\_%' OR option_name LIKE '\\_site\\_transient\\_%';",
].join('\n')

interface ScratchDatabase extends AsyncDisposable {
  name: string
  password: string
}

async function openScratchDatabase(paths: Paths): Promise<ScratchDatabase> {
  const name = `${scratchPrefix}${randomBytes(6).toString('hex')}`
  const password = randomBytes(24).toString('base64url')
  await sqlAsRoot(
    paths,
    `CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4;
     CREATE USER '${name}'@'localhost' IDENTIFIED BY '${password}';
     GRANT ALL PRIVILEGES ON \`${name.replaceAll('_', '\\_')}\`.* TO '${name}'@'localhost';`,
  )
  return { name, password, [Symbol.asyncDispose]: () => dropScratchDatabase(paths, name) }
}

const scratchPrefix = 'reeve_scratch_'

/** What an agent that was killed left behind. Only one template is made at a time. */
async function dropScratchDatabases(paths: Paths): Promise<void> {
  const names = await sqlAsRoot(
    paths,
    `SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE 'reeve\\_scratch\\_%'
     UNION SELECT User FROM mysql.user WHERE User LIKE 'reeve\\_scratch\\_%';`,
  )
  for (const name of names.split('\n')) {
    if (/^reeve_scratch_[0-9a-f]{12}$/.test(name)) await dropScratchDatabase(paths, name)
  }
}

async function dropScratchDatabase(paths: Paths, name: string): Promise<void> {
  await sqlAsRoot(paths, `DROP DATABASE IF EXISTS \`${name}\`; DROP USER IF EXISTS '${name}'@'localhost';`)
}

async function buildScratchRelease(
  paths: Paths,
  core: Core,
  scratch: Scratch,
  database: ScratchDatabase,
): Promise<string> {
  const { home, uid, gid } = scratch.site
  // From here on the scratch account may look but, outside of wp-content, not write.
  lchownSync(home, 0, 0)
  chmodSync(home, 0o755)
  const sharedDir = join(home, 'shared')
  mkdirSync(sharedDir, { mode: 0o755 })
  mkdirSync(join(sharedDir, 'uploads'), { mode: 0o755 })
  lchownSync(join(sharedDir, 'uploads'), uid, gid)
  const config = renderWpConfig({
    database: {
      name: database.name,
      user: database.name,
      password: database.password,
      socket: paths.mariadbSocket,
    },
    salts: Array.from({ length: 8 }, () => randomBytes(48).toString('base64url')),
    tablePrefix: 'wp_',
    url: placeholders.url,
    redis: null,
    connectorToken: 'scratch',
    purgeMark: '/nonexistent',
  })
  const configPath = join(sharedDir, 'wp-config.php')
  writeFileSync(configPath, config, { flag: 'wx', mode: 0o600 })
  lchownSync(configPath, uid, gid)
  const releaseDir = join(home, 'release')
  await buildRelease({
    core,
    releaseDir,
    sharedDir,
    site: { uid, gid },
    cmsParts: paths.cmsParts,
    objectCache: false,
    plugins: [],
  })
  return releaseDir
}

async function dump(paths: Paths, database: string, options: readonly string[]): Promise<string> {
  const args = [
    '--no-defaults',
    '--protocol=socket',
    '--user=root',
    `--socket=${paths.mariadbSocket}`,
    '--single-transaction',
    '--skip-comments',
    '--skip-add-drop-table',
    '--skip-add-locks',
    '--skip-disable-keys',
    '--skip-triggers',
    '--default-character-set=utf8mb4',
    ...options,
    '--',
    database,
  ]
  return (await run('mariadb-dump', args, { timeoutMs: 30_000 })).stdout
}
