import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { expect, onTestFinished, test } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { waitUntil } from '../processes.ts'
import { startTemporary } from '../services/temporary.ts'
import { sqlAsRoot } from './mariadb.ts'
import { renderMariadb } from './render-mariadb.ts'

const golden = (name: string) => join(import.meta.dirname, 'golden', `${name}.cnf`)

test.each([
  ['server-of-1-gigabyte', 1024],
  ['server-of-64-gigabytes', 65_536],
])('%s', async (name, memory_mb) => {
  await expect(renderMariadb(pathsBelow('/'), { memory_mb })).toMatchFileSnapshot(golden(name))
})

test('mariadbd runs with it: on a socket alone, with the character set and limits that were meant', async () => {
  const root = mkdtempSync('/var/tmp/reeve-mariadb-')
  onTestFinished(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  const paths = pathsBelow(root)
  for (const file of [paths.mariadbData, paths.mariadbSocket, paths.mariadbLog, paths.mariadbConf]) {
    mkdirSync(dirname(file), { recursive: true })
  }
  mkdirSync(paths.mariadbData)
  execFileSync('chown', [
    'mysql:mysql',
    paths.mariadbData,
    dirname(paths.mariadbSocket),
    dirname(paths.mariadbLog),
  ])
  writeFileSync(paths.mariadbConf, renderMariadb(paths, { memory_mb: 1024 }))
  const options = ['--skip-test-db', '--auth-root-authentication-method=socket']
  execFileSync('mariadb-install-db', [`--defaults-file=${paths.mariadbConf}`, ...options], {
    stdio: 'ignore',
  })
  {
    await using server = startTemporary('/usr/sbin/mariadbd', [`--defaults-file=${paths.mariadbConf}`])
    const answers = () =>
      sqlAsRoot(paths, 'SELECT 1;', 2000).then(
        () => true,
        () => false,
      )
    expect(await waitUntil(async () => server.hasEnded() || (await answers()), 20_000)).toBe(true)
    const columns = [
      ...['skip_networking', 'performance_schema', 'local_infile', 'event_scheduler', 'character_set_server'],
      ...['innodb_buffer_pool_size', 'collation_server'],
    ]
    const said = await sqlAsRoot(paths, `SELECT ${columns.map((column) => `@@${column}`).join(', ')};`)
    const pool = 128 * 1024 * 1024
    expect(said.trim().split('\t')).toEqual([
      '1',
      '0',
      '0',
      'OFF',
      'utf8mb4',
      String(pool),
      'utf8mb4_unicode_ci',
    ])
  }
}, 60_000)

test('values that the file cannot hold are refused', () => {
  for (const memory_mb of [Number.NaN, 0, -1, 1.5]) {
    expect(() => renderMariadb(pathsBelow('/'), { memory_mb })).toThrow(AppError)
  }
  for (const root of ['/a b', '/a\nb', '/a#b', '/a;b', '/a"b', '/a$b', '/a%b', '/a\\b', '/a\0b']) {
    expect(() => renderMariadb(pathsBelow(root), { memory_mb: 1024 })).toThrow(AppError)
  }
})
