// A hosted site as the isolation tests see it: everything that is its own, and its code run through the web server.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import { copyDatabase } from '../database-copy.ts'
import { type Host, runOn, seenFromHere } from '../host.ts'
import { redis, sql } from '../slate.ts'
import { type Page, visit } from '../visitor.ts'

/** Its paths are as the server's own programs know them. */
export interface Tenant {
  host: Host
  id: string
  domain: string
  user: string
  uid: number
  home: string
  /** Folder that nginx serves and the site's user may write, and its address. */
  code: { dir: string; url: string }
  database: { name: string; user: string; password: string; socket: string }
  redis: { socket: string; user: string; password: string }
  fpmSocket: string
}

const here = import.meta.dirname

export function tenantOf(host: Host, site: Site): Tenant {
  const { ownRoot: root } = host
  const user = site.system_user ?? ''
  const number = Number(user.split('-')[1])
  const home = join(root, 'srv/sites', site.domain)
  const secrets = secretsOf(host.root, site.id)
  const isCms = site.type === 'wordpress'
  const database = `site_${number}`
  return {
    host,
    id: site.id,
    domain: site.domain,
    user,
    uid: 20_000 + number,
    home,
    code: isCms
      ? { dir: join(home, 'current/wp-content/plugins'), url: '/wp-content/plugins' }
      : { dir: join(home, 'current'), url: '' },
    database: {
      name: database,
      user: database,
      password: secrets.databasePassword,
      socket: join(root, 'run/mysqld/mysqld.sock'),
    },
    redis: { socket: join(root, 'run/redis/redis.sock'), user, password: secrets.redisPassword },
    fpmSocket: join(root, 'run/php', `${user}-${site.php_version}.sock`),
  }
}

function secretsOf(root: string, id: string): { databasePassword: string; redisPassword: string } {
  using registry = copyDatabase(join(root, 'var/lib/reeve-agent/registry.db'))
  const [row] = registry.rows('SELECT secrets FROM sites WHERE id = ?', id)
  return JSON.parse(String(row?.['secrets']))
}

/** Writes a file the way the site's own code would: as its user, with the usual mode. */
export function writeAs({ host, uid }: Tenant, path: string, content: string | Buffer): void {
  runOn(host, uid, ['/usr/bin/tee', '--', path], content)
}

/** Lays the probing scripts into the site, as its user. */
export function installScripts(tenant: Tenant): void {
  const parts = join(tenant.code.dir, 'probes.d')
  runOn(tenant.host, tenant.uid, ['/bin/mkdir', '--parents', '--', parts])
  for (const name of ['plant.php', 'probes.php'])
    writeAs(tenant, join(tenant.code.dir, name), readFileSync(join(here, name)))
  for (const name of readdirSync(join(here, 'probes.d')))
    writeAs(tenant, join(parts, name), readFileSync(join(here, 'probes.d', name)))
  writeAs(tenant, join(tenant.code.dir, 'returns.php'), `<?php return '${tenant.user} ran';\n`)
}

/** Runs one of the site's scripts with a JSON body, as a visitor would. */
export async function callScript<Result>(tenant: Tenant, name: string, input: unknown): Promise<Result> {
  const page = await fetchFrom(tenant, name, JSON.stringify(input))
  if (page.status !== 200) throw new Error(`${tenant.domain} ${name} answered ${page.status}: ${page.text}`)
  return JSON.parse(page.text)
}

export function fetchFrom({ host, domain, code }: Tenant, name: string, body?: string): Promise<Page> {
  return visit(domain, {
    ...host.https,
    path: `${code.url}/${name}`,
    timeoutMs: 120_000,
    ...(body === undefined
      ? {}
      : { method: 'POST', body, headers: { 'content-length': String(Buffer.byteLength(body)) } }),
  })
}

export interface Planted extends Disposable {
  pid: number
  /** Number of a database connection that is open until disposal. */
  connection: number
  written: Record<string, number | false>
  shared: Record<string, boolean>
}

/** Lets the site's code leave its secrets, plants more in the services, and tells what was left. */
export async function plant(tenant: Tenant): Promise<Planted> {
  const { host, home, user, uid, code, database } = tenant
  const { root } = host
  // What the probes made when they ran before.
  runOn(host, uid, ['/bin/rm', '--force', '--', join(code.dir, `hard-${user}.txt`)])
  sql(root, `DROP TABLE IF EXISTS \`${database.name}\`.made`)
  for (const path of ['shared/uploads/spare.txt', 'shared/exports/spare.txt'])
    writeAs(tenant, join(home, path), 'spare')
  const left = await callScript<Pick<Planted, 'pid' | 'written' | 'shared'>>(tenant, 'plant.php', {
    home,
    mark: user,
    key: uid,
  })
  sql(
    root,
    `CREATE TABLE IF NOT EXISTS \`${database.name}\`.planted (a VARCHAR(999)); INSERT INTO \`${database.name}\`.planted VALUES ('${user}')`,
  )
  redis(root, [`SET ${user}:planted ${user}`, `SET ${user}:spare x`, `SET ${user}0:planted near`])
  return { ...left, ...(await holdConnection(tenant)) }
}

/** A connection with the site's own account; PHP's would end with the request. */
async function holdConnection({ host, database }: Tenant): Promise<Pick<Planted, 'connection'> & Disposable> {
  const socket = seenFromHere(host, database.socket)
  const client = spawn(
    '/usr/bin/mariadb',
    ['--no-defaults', `--socket=${socket}`, `--user=${database.user}`, '-e', 'DO SLEEP(100)'],
    { env: { MYSQL_PWD: database.password }, stdio: 'ignore' },
  )
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
    await new Promise((done) => setTimeout(done, 50))
    const [id] = sql(
      host.root,
      `SELECT id FROM information_schema.processlist WHERE user = '${database.user}'`,
    )
    if (id) return { connection: Number(id), [Symbol.dispose]: () => client.kill('SIGKILL') }
  }
  throw new Error(`no connection of ${database.user} appeared`)
}

/** Removes what sites leave outside of their trees, and databases and keys of names like theirs. */
export function clearPlanted(tenants: readonly Tenant[]): void {
  for (const { host, user, uid, database } of tenants) {
    const files = ['/tmp', '/var/tmp', '/dev/shm'].map((folder) => `${folder}/planted-${user}`)
    runOn(host, 0, ['/bin/rm', '--force', '--', ...files])
    for (const kind of ['-M', '-S', '-Q']) {
      try {
        runOn(host, 0, ['/usr/bin/ipcrm', kind, String(uid)])
      } catch {
        // There was none.
      }
    }
    sql(host.root, `DROP DATABASE IF EXISTS ${lookalikeOf(database.name)}`)
    redis(host.root, [`UNLINK ${user}0:planted`])
  }
}

/** A name that the grant on `site\_<n>` would open as well without its backslash. */
export const lookalikeOf = (database: string) => database.replace('_', 'x')
