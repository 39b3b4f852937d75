// What must be true of a server whenever nothing is being done on it, however it came to be in that state.
import { createHash } from 'node:crypto'
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import { copyDatabase } from './database-copy.ts'
import { type Host, seenFromHere } from './host.ts'
import type { InstalledHost } from './installed.ts'
import { findNaming } from './slate.ts'

/** Everything on an installed server that is damaged, half-written or left behind; [] is a sound server. */
export async function findDamage(host: InstalledHost, sites: readonly Site[]): Promise<string[]> {
  const { root } = host
  return [
    ...(await failingPrograms(host)),
    ...['var/lib/reeve/state.db', 'var/lib/reeve-agent/registry.db'].flatMap((path) =>
      checkDatabase(root, path),
    ),
    ...damagedFiles(host),
    ...orphans(root, sites),
  ]
}

export const damagedFiles = (host: Host): string[] => [...driftOf(host), ...halfWritten(host.root)]

/** Each program that reads our configuration or keeps our data says itself that it is whole. */
const verdicts: Readonly<Record<string, string>> = {
  units: 'test -z "$(systemctl --failed --no-legend)"',
  nginx: 'nginx -t',
  php: 'for conf in /etc/php/*/fpm/reeve.conf; do v=${conf#/etc/php/}; php-fpm${v%%/*} -t --fpm-config "$conf"; done',
  mariadb: 'mariadb-check --all-databases --silent',
  redis: 'test "$(redis-cli -s /run/redis/redis.sock ping)" != ""',
  'audit log': 'reeve verify-audit',
  accounts: 'pwck --read-only --quiet && grpck --read-only',
}

async function failingPrograms({ server }: InstalledHost): Promise<string[]> {
  const lines = Object.entries(verdicts).map(
    ([name, command]) => `said=$( (${command}) 2>&1 ) || printf '%s: %s\\n' '${name}' "$said"`,
  )
  return (await server.run(lines.join('\n'), 120_000)).split('\n').filter(Boolean)
}

/** Copied until nobody wrote meanwhile: a copy that is torn would be taken for damage. */
function checkDatabase(root: string, relative: string): string[] {
  for (let attempt = 1; ; attempt++) {
    using copy = copyDatabase(join(root, relative))
    const [row] = copy.rows('PRAGMA integrity_check')
    if (row?.['integrity_check'] === 'ok') return []
    if (attempt === 3) return [`${relative}: ${JSON.stringify(row)}`]
  }
}

/** Files that are not as the ledger says. */
function driftOf(host: Host): string[] {
  using registry = copyDatabase(join(host.root, 'var/lib/reeve-agent/registry.db'))
  return registry
    .rows('SELECT path, mode, sha256, intended_sha256 FROM files')
    .flatMap(({ mode, sha256, intended_sha256: intended, ...row }) => {
      const path = String(row['path'])
      const file = seenFromHere(host, path)
      if (intended !== null) return [`${path} is still about to be written`]
      if (!existsSync(file)) return [`${path} is missing`]
      const found = createHash('sha256').update(readFileSync(file)).digest('hex')
      if (found !== sha256) return [`${path} does not hold what was written`]
      return (lstatSync(file).mode & 0o777) === mode ? [] : [`${path} has another mode`]
    })
}

function halfWritten(root: string): string[] {
  const names = ['etc/**/.*.reeve-new', 'etc/*.lock', 'srv/sites/*/{current.next,releases/.*.partial}']
  return globSync([...names, 'srv/sites/.trash/*'], { cwd: root }).map((path) => `half-made: ${path}`)
}

/** Users, databases, folders and lines of sites that the panel does not know. Numbers of five digits are ours. */
function orphans(root: string, sites: readonly Site[]): string[] {
  const known = new Set(
    sites.flatMap(({ domain, system_user: user }) => [domain, user ?? '', (user ?? '').replace('-', '_')]),
  )
  const namesUnknown = (text: string) =>
    [...text.matchAll(/\bsite[-_]\d{5}\b|\bcut\d+\.example\.com\b/g)].some(([name]) => !known.has(name))
  const ids = new Set<string>(sites.map(({ id }) => id))
  const folders = ['etc/reeve/tls', 'var/cache/nginx/reeve'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => !ids.has(name))
      .map((name) => `${folder}/${name}`),
  )
  return [...findNaming(root, namesUnknown), ...folders].map((trace) => `nobody's: ${trace}`)
}

/** Every file of a site that is not a log or temporary, with its owner, mode and content. */
export function contentOf(root: string, { domain, id }: Site): string[] {
  const found: string[] = []
  const walk = (relative: string) => {
    const path = join(root, relative)
    const { mode, uid, gid, ...entry } = lstatSync(path)
    const facts = `${relative} ${(mode & 0o7777).toString(8)} ${uid}:${gid}`
    if ((mode & 0o170000) === 0o120000) found.push(`${facts} -> ${readlinkSync(path)}`)
    else if ((mode & 0o170000) === 0o040000) {
      found.push(facts)
      for (const name of readdirSync(path).sort()) walk(join(relative, name))
    } else {
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
      found.push(`${facts} ${entry.size} ${hash}`)
    }
  }
  for (const part of ['current', 'releases', 'shared']) walk(`srv/sites/${domain}/${part}`)
  walk(`etc/reeve/tls/${id}`)
  return found
}
