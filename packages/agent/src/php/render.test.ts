import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { type Domain, PhpVersion } from '@reeve/contract/primitives.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { pingPool } from './fastcgi.ts'
import { placeholderSocket, renderFpm, renderFpmIni } from './render-fpm.ts'
import { defaultPhpLimits, type PoolInput, renderPool } from './render-pool.ts'
import { startTemporary } from '../services/temporary.ts'
import { waitUntil } from '../processes.ts'

const installed = pathsBelow('/')
const version = PhpVersion.parse('8.2')
const pool: PoolInput = {
  domain: 'example.com' as Domain, // a literal in its parsed form
  user: 'site-1',
  socket: '/run/php/site-1.sock',
  workers: 4,
  limits: defaultPhpLimits,
}
const golden = (name: string) => join(import.meta.dirname, 'golden', name)

test('pool-of-a-site', async () => {
  await expect(renderPool(installed, pool)).toMatchFileSnapshot(golden('pool-of-a-site.conf'))
})
test('pool-with-raised-limits', async () => {
  const limits = { memory_limit_mb: 1024, max_execution_s: 600, upload_max_mb: 2048 }
  await expect(renderPool(installed, { ...pool, limits })).toMatchFileSnapshot(
    golden('pool-with-raised-limits.conf'),
  )
})
test('master', async () => {
  await expect(renderFpm(installed, version)).toMatchFileSnapshot(golden('master.conf'))
})
test('master-settings', async () => {
  const text = renderFpmIni(installed, { version, isOpcacheSeeded: false })
  await expect(text).toMatchFileSnapshot(golden('master-settings.ini'))
})
test('master-settings-with-seeded-opcode-cache', async () => {
  const text = renderFpmIni(installed, { version, isOpcacheSeeded: true })
  await expect(text).toMatchFileSnapshot(golden('master-settings-with-seeded-opcode-cache.ini'))
})

/** Everything rendered, below a directory of its own, with users that this machine has. */
function layOut(text = (rendered: string) => rendered) {
  const root = mkdtempSync('/var/tmp/reeve-fpm-')
  onTestFinished(() => rmSync(root, { recursive: true }))
  const paths = pathsBelow(root)
  for (const path of [paths.fpmPools(version), paths.fpmSockets, dirname(paths.fpmLog(version))]) {
    mkdirSync(path, { recursive: true })
  }
  const socket = paths.fpmSocket('games', version)
  mkdirSync(paths.site(pool.domain), { recursive: true })
  writeFileSync(paths.fpmConf(version), renderFpm(paths, version))
  writeFileSync(paths.fpmPool(version, 'games'), text(renderPool(paths, { ...pool, user: 'games', socket })))
  const scan = join(root, 'scan')
  mkdirSync(scan)
  writeFileSync(join(scan, '99-reeve.ini'), renderFpmIni(paths, { version, isOpcacheSeeded: false }))
  return {
    paths,
    socket,
    environment: { PHP_INI_SCAN_DIR: `/etc/php/8.2/fpm/conf.d:${scan}` },
  }
}

test('php-fpm accepts all of it and runs it, without sites too', async () => {
  const { paths, socket, environment } = layOut()
  const check = spawnSync('/usr/sbin/php-fpm8.2', ['-t', '-y', paths.fpmConf(version)], {
    encoding: 'utf8',
    env: environment,
  })
  expect(check.stderr).toContain('test is successful')
  {
    await using master = startTemporary(
      '/usr/sbin/php-fpm8.2',
      ['-y', paths.fpmConf(version), '-F'],
      environment,
    )
    expect(await waitUntil(async () => master.hasEnded() || (await pingPool(socket)), 10_000)).toBe(true)
    expect(master.hasEnded()).toBe(false)
    expect(await pingPool(placeholderSocket(paths, version))).toBe(true)
  }
  rmSync(paths.fpmPool(version, 'games'))
  await using alone = startTemporary(
    '/usr/sbin/php-fpm8.2',
    ['-y', paths.fpmConf(version), '-F'],
    environment,
  )
  expect(await waitUntil(() => pingPool(placeholderSocket(paths, version)), 10_000)).toBe(true)
  expect(alone.hasEnded()).toBe(false)
})

test('php-fpm refuses what is broken', () => {
  const { paths, environment } = layOut((rendered) => rendered.replace('pm=ondemand', 'pm=sometimes'))
  const check = spawnSync('/usr/sbin/php-fpm8.2', ['-t', '-y', paths.fpmConf(version)], {
    encoding: 'utf8',
    env: environment,
  })
  expect(check.status).not.toBe(0)
})

test('the settings are in force', () => {
  const { environment } = layOut()
  const said = execFileSync('/usr/sbin/php-fpm8.2', ['-i'], { encoding: 'utf8', env: environment })
  for (const line of [
    ...[
      'cgi.fix_pathinfo => Off',
      'expose_php => Off',
      'opcache.validate_permission => On',
      'opcache.jit => no value',
    ],
    ...[
      'opcache.restrict_api => /nonexistent',
      'opcache.memory_consumption => 128',
      'realpath_cache_ttl => 10',
    ],
  ]) {
    expect(said).toContain(line)
  }
})

const hostile = [
  '\n',
  '\r',
  '\t',
  ' ',
  '{',
  '}',
  ';',
  '#',
  '"',
  "'",
  '\\',
  '$',
  '%',
  '${PATH}',
  '\0',
  '\u2028',
  '[',
  ']',
  '=',
]

/** Sections and settings, read as FPM's ini parser does: one a line, nothing continued. */
const shape = (text: string) => text.split('\n').map((line) => line.split(' = ')[0])

describe('hostile values are refused', () => {
  // Asserted: texts that the types forbid and that must be refused all the same.
  const fields: Record<string, [string, (text: string) => PoolInput]> = {
    user: ['site-1', (text) => ({ ...pool, user: text })],
    socket: ['/run/php/site-1.sock', (text) => ({ ...pool, socket: text })],
    domain: ['example.com', (text) => ({ ...pool, domain: text as Domain })],
  }
  for (const [field, [valid, withText]] of Object.entries(fields)) {
    test.each(hostile)(`${field} with %j`, (character) => {
      expect(shape(renderPool(installed, withText(valid)))).toEqual(shape(renderPool(installed, pool)))
      for (const at of [0, valid.length >> 1, valid.length]) {
        const broken = valid.slice(0, at) + character + valid.slice(at)
        expect(() => renderPool(installed, withText(broken))).toThrow(AppError)
      }
    })
  }
  test('numbers that are none, versions and root prefixes', () => {
    for (const number of [Number.NaN, 0, -1, 1.5, Number.POSITIVE_INFINITY]) {
      expect(() => renderPool(installed, { ...pool, workers: number })).toThrow(AppError)
      const limits = { ...defaultPhpLimits, memory_limit_mb: number }
      expect(() => renderPool(installed, { ...pool, limits })).toThrow(AppError)
    }
    for (const character of hostile) {
      // Asserted for the same reason.
      expect(() => renderFpm(installed, `8.2${character}` as PhpVersion)).toThrow(AppError)
      expect(() => renderFpm(pathsBelow(`/srv/a${character}b`), version)).toThrow(AppError)
      expect(() => renderPool(pathsBelow(`/srv/a${character}b`), pool)).toThrow(AppError)
    }
  })
})
