// Everything an operation of the agent could have changed on the server, as lines that can be compared.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { copyDatabase } from '../database-copy.ts'
import { redis, sql, systemOf } from '../slate.ts'

export function serverState(root: string): string[] {
  return [
    ...filesBelow(root, 'etc'),
    ...['srv/sites', 'run/php', 'var/cache/nginx/reeve', 'var/log/reeve'].flatMap((path) =>
      namesIn(root, path),
    ),
    ...accountsOf(root),
    ...registryOf(root),
    ...databasesOf(root),
    ...redis(root, ['ACL LIST']),
  ]
}

/** Every file with its mode, owner and content. */
export function filesBelow(root: string, relative: string): string[] {
  const path = join(root, relative)
  const found = lstatSync(path)
  const facts = `${relative} ${(found.mode & 0o7777).toString(8)} ${found.uid}:${found.gid}`
  if (found.isSymbolicLink()) return [`${facts} -> ${readlinkSync(path)}`]
  if (found.isDirectory())
    return [
      facts,
      ...readdirSync(path)
        .sort()
        .flatMap((name) => filesBelow(root, join(relative, name))),
    ]
  if (!found.isFile()) return [facts]
  return [`${facts} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`]
}

const namesIn = (root: string, path: string) =>
  readdirSync(join(root, path))
    .sort()
    .map((name) => `${path}/${name}`)

/** Users of sites below this root: other runs on the machine make users too. */
const accountsOf = (root: string) =>
  readFileSync(join(systemOf(root), 'etc/passwd'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(systemOf(root) === root ? ':/srv/sites/' : `:${root}/`))

/** Without the scratch databases in which the agent prepares WordPress by itself, soon after its start. */
const databasesOf = (root: string) =>
  sql(root, "SHOW DATABASES; SELECT CONCAT(User, '@', Host) FROM mysql.user ORDER BY 1").filter(
    (line) => !line.startsWith('reeve_scratch_'),
  )

function registryOf(root: string): string[] {
  using registry = copyDatabase(join(root, 'var/lib/reeve-agent/registry.db'))
  const rows = registry.rows('SELECT id, domain, number, spec FROM sites ORDER BY id')
  return rows.map((row) => JSON.stringify(row))
}
