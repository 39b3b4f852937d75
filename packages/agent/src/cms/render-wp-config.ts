// wp-config.php from typed values. Core updates are new releases, so WordPress itself never replaces its core.
import { AppError } from '@reeve/contract/errors.ts'
import { phpString } from './php-string.ts'

export interface RedisAccess {
  socket: string
  user: string
  password: string
  /** Every key begins with it and a colon. */
  prefix: string
}

export interface WpConfigInput {
  database: { name: string; user: string; password: string; socket: string }
  /** Eight: the keys AUTH, SECURE_AUTH, LOGGED_IN, NONCE, then the salts in the same order. */
  salts: readonly string[]
  tablePrefix: string
  /** Address of the site without a slash at its end, with the port when it is not the usual one. */
  url: string
  redis: RedisAccess | null
  connectorToken: string
  /** File that changes with every purge of the page cache. */
  purgeMark: string
}

const saltNames = [
  'AUTH_KEY',
  'SECURE_AUTH_KEY',
  'LOGGED_IN_KEY',
  'NONCE_KEY',
  'AUTH_SALT',
  'SECURE_AUTH_SALT',
  'LOGGED_IN_SALT',
  'NONCE_SALT',
] as const

export function renderWpConfig(input: WpConfigInput): string {
  if (input.salts.length !== saltNames.length || new Set(input.salts).size !== saltNames.length) {
    throw new AppError('internal', 'wp-config.php needs eight different keys and salts.')
  }
  // WordPress pastes the prefix into SQL.
  if (!/^[a-z][a-z0-9_]{0,19}$/.test(input.tablePrefix)) {
    throw new AppError('refused', `"${input.tablePrefix}" cannot be a table prefix.`)
  }
  const settings = [
    databaseSettings(input.database),
    saltNames.map((name, index): Setting => [name, input.salts[index] ?? '']),
    [
      ['WP_HOME', input.url],
      ['WP_SITEURL', input.url],
      ['WP_ENVIRONMENT_TYPE', 'production'],
      ['WP_DEBUG', false],
      ['FS_METHOD', 'direct'],
      ['WP_AUTO_UPDATE_CORE', false],
      ['DISALLOW_FILE_EDIT', true],
      // The agent runs what is due, so no visitor waits for it.
      ['DISABLE_WP_CRON', true],
    ] satisfies Setting[],
    input.redis ? redisSettings(input.redis) : [],
    [
      ['REEVE_CONNECTOR_TOKEN', input.connectorToken],
      ['REEVE_PURGE_MARK', input.purgeMark],
    ] satisfies Setting[],
  ]
  return [
    '<?php',
    '// Written by Reeve. A change made here is shown as drift.',
    '',
    ...settings.filter((group) => group.length > 0).flatMap((group) => [...group.map(define), '']),
    '// Before anything is read from the database: a page that was begun before a purge is not kept.',
    "define( 'REEVE_PURGE_SEEN', (string) @file_get_contents( REEVE_PURGE_MARK ) );",
    '',
    `$table_prefix = ${phpString(input.tablePrefix)};`,
    '',
    '// wp-load.php has set ABSPATH; this file is reached through a link and cannot know it.',
    "if ( ! defined( 'ABSPATH' ) ) {",
    '\texit;',
    '}',
    "require_once ABSPATH . 'wp-settings.php';",
    '',
  ].join('\n')
}

type Setting = readonly [name: string, value: string | boolean]

const define = ([name, value]: Setting): string =>
  `define( '${name}', ${typeof value === 'boolean' ? String(value) : phpString(value)} );`

const databaseSettings = (database: WpConfigInput['database']): Setting[] => [
  ['DB_NAME', database.name],
  ['DB_USER', database.user],
  ['DB_PASSWORD', database.password],
  ['DB_HOST', `localhost:${database.socket}`],
  ['DB_CHARSET', 'utf8mb4'],
  ['DB_COLLATE', ''],
]

const redisSettings = (redis: RedisAccess): Setting[] => [
  ['REEVE_REDIS_SOCKET', redis.socket],
  ['REEVE_REDIS_USER', redis.user],
  ['REEVE_REDIS_PASSWORD', redis.password],
  ['REEVE_REDIS_PREFIX', redis.prefix],
]
