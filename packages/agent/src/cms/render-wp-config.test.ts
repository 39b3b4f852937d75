import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../command.ts'
import { phpString } from './php-string.ts'
import { renderWpConfig, type WpConfigInput } from './render-wp-config.ts'

const plain: WpConfigInput = {
  database: { name: 'site_7', user: 'site_7', password: 'dbpass', socket: '/run/mysqld/mysqld.sock' },
  salts: Array.from({ length: 8 }, (_, index) => `salt-${index}`),
  tablePrefix: 'wp_',
  url: 'https://example.com',
  redis: null,
  connectorToken: 'token',
  purgeMark: '/srv/sites/example.com/tmp/purge-mark',
}

const hostile = `'\\"; system('id'); // \n ?> <?php $x {\${y}} \u2028 ' . \\`

const cases: Record<string, WpConfigInput> = {
  'plain site': plain,
  'object cache and another port': {
    ...plain,
    url: 'https://example.com:8443',
    redis: { socket: '/run/redis/redis.sock', user: 'site-7', password: 'redispass', prefix: 'site-7' },
  },
  'hostile values': {
    ...plain,
    database: { name: hostile, user: hostile, password: hostile, socket: hostile },
    salts: Array.from({ length: 8 }, (_, index) => hostile + index),
    url: hostile,
    redis: { socket: hostile, user: hostile, password: hostile, prefix: hostile },
    connectorToken: hostile,
    purgeMark: hostile,
  },
}

const golden = join(import.meta.dirname, 'golden')

for (const [name, input] of Object.entries(cases)) {
  const file = `${name.replaceAll(' ', '-')}.php`
  test(`renders wp-config.php: ${name}`, async () => {
    const text = renderWpConfig(input)
    await expect(text).toMatchFileSnapshot(join(golden, file))
    const { stdout } = await run('php', ['-l'], { input: text, timeoutMs: 10_000 })
    expect(stdout).toContain('No syntax errors detected')
  })
}

test('every golden file belongs to a case', () => {
  const expected = Object.keys(cases).map((name) => `${name.replaceAll(' ', '-')}.php`)
  expect(readdirSync(golden).sort()).toEqual(expected.sort())
  expect(readFileSync(join(golden, 'plain-site.php'), 'utf8')).toContain("'DISALLOW_FILE_EDIT', true")
})

test('PHP reads hostile constants exactly as they were given', async () => {
  // Ends before WordPress would be loaded, as ABSPATH is not defined.
  const worst = `${hostile}\r\0\r\n`
  const text = renderWpConfig({
    ...plain,
    database: { ...plain.database, password: worst },
    redis: { socket: '', user: '', password: worst, prefix: '' },
    connectorToken: worst,
  })
  const show = `echo bin2hex( DB_PASSWORD ), ' ', bin2hex( REEVE_REDIS_PASSWORD ), ' ', bin2hex( REEVE_CONNECTOR_TOKEN ); `
  const script = text.replace("if ( ! defined( 'ABSPATH' ) )", () => `${show}if ( ! defined( 'ABSPATH' ) )`)
  const { stdout } = await run('php', [], { input: script, timeoutMs: 10_000 })
  expect(stdout.split(' ').map((hex) => Buffer.from(hex, 'hex').toString())).toEqual([worst, worst, worst])
})

test('any text survives as a PHP literal', async () => {
  const texts = Array.from({ length: 2000 }, randomText)
  const script = `<?php foreach ( array( ${texts.map(phpString).join(',')} ) as $text ) echo bin2hex( $text ), "\\n";`
  const { stdout } = await run('php', ['-d', 'zend.multibyte=0'], { input: script, timeoutMs: 20_000 })
  const read = stdout.trimEnd().split('\n')
  expect(read).toEqual(texts.map((text) => Buffer.from(text).toString('hex')))
})

// Half of the characters are the ones that mean something to some parser.
function randomText(): string {
  const special = [
    '\\',
    "'",
    '"',
    '$',
    '\n',
    '\r',
    '\0',
    '?>',
    '<?php',
    '{',
    '\u2028',
    '\\\\',
    "\\'",
    '%',
    '`',
    '😀',
  ]
  const length = 1 + Math.floor(Math.random() * 24)
  return Array.from({ length }, () =>
    Math.random() < 0.5
      ? (special[Math.floor(Math.random() * special.length)] ?? '')
      : String.fromCodePoint(Math.floor(Math.random() * 0xd000)),
  ).join('')
}

test('refuses what has no literal or no place in SQL', () => {
  expect(() => phpString('\ud800')).toThrow('not valid Unicode')
  expect(() => renderWpConfig({ ...plain, tablePrefix: 'wp`; DROP' })).toThrow('table prefix')
  expect(() => renderWpConfig({ ...plain, salts: plain.salts.slice(1) })).toThrow('eight')
  expect(() => renderWpConfig({ ...plain, salts: Array.from({ length: 8 }, () => 'same') })).toThrow('eight')
})
