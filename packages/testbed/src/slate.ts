// What a site may not leave behind: every place where a user, name or number of it could still stand.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is to be found nowhere: a domain, `site-<n>`, `site_<n>`, the site's id. */
export interface Traces {
  domain: string
  id: string
  systemUser: string | null
}

/** Every place below the root, on the host and in the services that still knows the site; [] is a clean slate. */
export function findTraces(root: string, traces: Traces): string[] {
  const { domain, id, systemUser } = traces
  const names = [domain, id, ...(systemUser ? [systemUser, systemUser.replace('-', '_')] : [])]
  const namesIt = (text: string) =>
    names.some((name) =>
      new RegExp(`(?<![A-Za-z0-9])${name.replaceAll('.', '\\.')}(?![0-9A-Za-z])`).test(text),
    )
  return [...findNaming(root, namesIt), ...processesNaming(systemOf(root), systemUser)]
}

type NamesIt = (text: string) => boolean

/** Every account, path, line of configuration, database and object-cache account with such a name. */
export function findNaming(root: string, namesIt: NamesIt): string[] {
  return [
    ...accountsNaming(root, namesIt),
    ...pathsNaming(root, namesIt),
    ...configurationNaming(root, namesIt),
    ...databasesNaming(root, namesIt),
    ...objectCacheNaming(root, namesIt),
  ]
}

/** Root of the system that the accounts and processes are in: an installed server's own, else this machine's. */
export const systemOf = (root: string) => (existsSync(join(root, 'etc/passwd')) ? root : '/')

/** Without accounts of sites elsewhere: other runs on the machine take a name as soon as it is free. */
function accountsNaming(root: string, namesIt: NamesIt): string[] {
  const system = systemOf(root)
  const home = system === root ? ':/srv/sites/' : `:${root}/`
  const nameOf = (line: string) => line.split(':')[0] ?? ''
  const users = linesOf(join(system, 'etc/passwd'))
  const elsewhere = new Set(users.filter((line) => !line.includes(home)).map(nameOf))
  return ['etc/passwd', 'etc/group', 'etc/shadow', 'etc/subuid'].flatMap((path) =>
    linesOf(join(system, path))
      .filter((line) => namesIt(line) && !elsewhere.has(nameOf(line)))
      .map((line) => `${path}: ${nameOf(line)}`),
  )
}

/** The system's own, which nothing of a site gets into, and what is looked through in another way. */
const skipped = [
  ...['proc', 'sys', 'dev', 'boot', 'root', 'usr/bin', 'usr/sbin', 'usr/share', 'usr/lib', 'var/lib/dpkg'],
  ...['var/lib/mysql', 'usr/local/lib/reeve', 'var/log'],
]

function pathsNaming(root: string, namesIt: NamesIt): string[] {
  const found: string[] = []
  const walk = (relative: string) => {
    if (skipped.includes(relative)) return
    for (const entry of readdirSync(join(root, relative), { withFileTypes: true })) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`
      if (namesIt(entry.name)) found.push(path)
      if (entry.isDirectory()) walk(path)
    }
  }
  walk('')
  for (const name of readdirSync(join(root, 'var/log/reeve')))
    if (namesIt(name)) found.push(`var/log/reeve/${name}`)
  return found
}

/** Not in the copies that useradd keeps of what was before. */
function configurationNaming(root: string, namesIt: NamesIt): string[] {
  const found: string[] = []
  const walk = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (
        entry.isFile() &&
        !/^(?:passwd|group|g?shadow|sub[ug]id)-$/.test(entry.name) &&
        namesIt(readFileSync(path, 'utf8'))
      )
        found.push(`inside ${path}`)
    }
  }
  walk(join(root, 'etc'))
  return found
}

function databasesNaming(root: string, namesIt: NamesIt): string[] {
  const rows = sql(
    root,
    "SHOW DATABASES; SELECT CONCAT(User, '@', Host) FROM mysql.user; SELECT Db FROM mysql.db;",
  )
  return rows.filter(namesIt).map((row) => `database server: ${row}`)
}

function objectCacheNaming(root: string, namesIt: NamesIt): string[] {
  return redis(root, ['ACL LIST', 'KEYS *'])
    .filter(namesIt)
    .map((row) => `object cache: ${row}`)
}

function processesNaming(system: string, systemUser: string | null): string[] {
  if (!systemUser) return []
  const uid = 20_000 + Number(systemUser.split('-')[1])
  return readdirSync(join(system, 'proc'))
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const status = linesOf(join(system, 'proc', pid, 'status'))
      const hasEnded = status.some((line) => line.startsWith('State:\tZ'))
      return !hasEnded && status.some((line) => line.startsWith(`Uid:\t${uid}\t`))
    })
    .map((pid) => `process ${pid}`)
}

/** Statements as the database server's root; lines of tab-separated values. */
export function sql(root: string, statements: string): string[] {
  const output = execFileSync(
    '/usr/bin/mariadb',
    [
      '--no-defaults',
      `--socket=${root}/run/mysqld/mysqld.sock`,
      '--batch',
      '--skip-column-names',
      '-e',
      statements,
    ],
    { encoding: 'utf8' },
  )
  return output.split('\n').filter(Boolean)
}

/** Commands as the agent's account of the object-cache server. */
export function redis(root: string, commands: readonly string[]): string[] {
  const password = readFileSync(join(root, 'var/lib/reeve-agent/redis-password'), 'utf8').trim()
  const output = execFileSync('/usr/bin/redis-cli', ['-s', `${root}/run/redis/redis.sock`], {
    encoding: 'utf8',
    input: `${[`AUTH reeve-agent ${password}`, ...commands].join('\n')}\n`,
  })
  return output.split('\n').slice(1).filter(Boolean)
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    return [] // A process that has just ended.
  }
}
