// The runner with plugins that are broken, loud or hostile (they can be: they are the site's own).
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runCms } from '../../../agent/src/cms/runner.ts'
import {
  createPrivateSite,
  openPrivateHost,
  type PrivateHost,
  type PrivateSite,
  readRows,
} from '../private-wordpress.ts'

let host: PrivateHost
let site: PrivateSite
let plugin: string

beforeAll(async () => {
  host = await openPrivateHost()
  site = await createPrivateSite(host, { number: 1 })
  plugin = join(site.release, 'wp-content/mu-plugins/hostile.php')
}, 120_000)

afterEach(() => rmSync(plugin, { force: true }))
afterAll(() => host?.[Symbol.asyncDispose]())

const target = () => ({ paths: host.paths, site: site.user, release: site.release, url: site.url })
const status = () => runCms({ ...target(), command: 'status', args: {} })

const mark = () => join(site.user.home, 'shared/uploads/mark')

test('ping needs no WordPress and says as whom it runs', async () => {
  const { uid, gid } = await runCms({ ...target(), release: '/nonexistent', command: 'ping', args: {} })
  expect([uid, gid]).toEqual([site.user.uid, site.user.gid])
})

test('only the uid of the site ever appears, without groups and capabilities', async () => {
  writeFileSync(
    plugin,
    `<?php file_put_contents( '${mark()}', json_encode( array( posix_getuid(), posix_geteuid(), posix_getgroups(),
      preg_match_all( '/^Cap(Inh|Prm|Eff|Bnd|Amb):\\s+0+$/m', file_get_contents( '/proc/self/status' ) ) ) ) );`,
  )
  await status()
  const { uid } = site.user
  expect(JSON.parse(readFileSync(mark(), 'utf8'))).toEqual([uid, uid, [], 5])
})

test.each([
  [
    'prints JSON before and after',
    `echo '{"ok":true,"result":{"uid":0}}'; register_shutdown_function( function () { fwrite( STDOUT, "\\n{\\"ok\\":true}" ); } );`,
  ],
  ['prints 50 MB', `for ( $i = 0; $i < 50; $i++ ) echo str_repeat( 'x', 1048576 );`],
  ['opens buffers and leaves them open', `ob_start(); ob_start(); echo 'x';`],
  ['warns', `trigger_error( 'look', E_USER_WARNING ); echo $undefined;`],
  ['writes to standard output by itself', `fwrite( STDOUT, "noise without an end" );`],
])('the answer arrives although a plugin %s', async (_, code) => {
  writeFileSync(plugin, `<?php ${code}`)
  expect((await status()).uid).toBe(site.user.uid)
})

test.each([
  ['ends the process', 'exit( 0 );', /ended by the code of a plugin/],
  ['ends it with a failure', 'die( "broken" );', /ended by the code of a plugin/],
  ['has a syntax error', 'this is not PHP', /hostile\.php/],
  ['throws', 'throw new Exception( "on purpose" );', /on purpose|hostile\.php/],
  ['calls what does not exist', 'nothing_like_this();', /nothing_like_this/],
  [
    'needs more memory than there is',
    'ini_set( "memory_limit", "64M" ); str_repeat( "x", 100000000 );',
    /memory/i,
  ],
  ['kills its process', 'posix_kill( getmypid(), SIGKILL );', /status|exit code|SIGKILL/],
  ['floods standard output', 'for ( ;; ) fwrite( STDOUT, str_repeat( "x", 65536 ) );', /printed more than/],
  ['gives an answer of its own shape', 'exit( "x" );', /ended by the code/],
])('there is a clean error when a plugin %s', async (_, code, reason) => {
  writeFileSync(plugin, `<?php ${code}`)
  await expect(status()).rejects.toThrow(reason)
})

test('a plugin that hangs is ended with everything it started', async () => {
  writeFileSync(plugin, `<?php proc_open( array( 'sleep', '54321' ), array(), $pipes ); sleep( 60 );`)
  const before = Date.now()
  await expect(runCms({ ...target(), command: 'status', args: {}, timeoutMs: 1500 })).rejects.toThrow(
    'still running',
  )
  expect(Date.now() - before).toBeLessThan(5000)
})

test('the message of a plugin cannot hold lines, colours or pages of text', async () => {
  writeFileSync(
    plugin,
    `<?php throw new Exception( "a\\nb\\r\\x1b[31m<script>\\u{202e}" . str_repeat( 'x', 5000 ) );`,
  )
  const error: unknown = await status().catch((problem: unknown) => problem)
  expect(error).toBeInstanceOf(Error)
  const { message } = error as Error
  expect(message).not.toMatch(/[\n\r\x1b\u202e]|<script>/)
  expect(message.length).toBeLessThan(700)
})

test('no command can send mail or open a connection', async () => {
  writeFileSync(
    plugin,
    `<?php add_action( 'init', function () { file_put_contents( '${mark()}2', json_encode( array(
      wp_mail( 'a@example.com', 'subject', 'text' ), is_wp_error( wp_remote_get( 'http://127.0.0.1:1/' ) ),
      wp_remote_get( 'http://127.0.0.1:1/' )->get_error_code(), @fsockopen( '127.0.0.1', 22, $e, $s, 1 ) ) ) ); } );`,
  )
  await status()
  expect(JSON.parse(readFileSync(`${mark()}2`, 'utf8'))).toEqual([
    true,
    true,
    'http_request_not_executed',
    false,
  ])
})

test('a plugin is activated once, with its hook; one that is not there is an error', async () => {
  const file = join(site.release, 'wp-content/plugins/hello.php')
  const hook = `register_activation_hook( __FILE__, function () { update_option( 'hello_ran', get_option( 'hello_ran', 0 ) + 1 ); } );`
  writeFileSync(file, `<?php /* Plugin Name: Hello */ ${hook}`)
  const activate = (name: string) =>
    runCms({ ...target(), command: 'activate-plugin', args: { plugin: name } })
  expect(await activate('hello.php')).toEqual({ plugin: 'hello.php', changed: true })
  expect(await activate('hello.php')).toEqual({ plugin: 'hello.php', changed: false })
  expect(
    await readRows(host, site, "SELECT option_value FROM wp_options WHERE option_name = 'hello_ran'"),
  ).toEqual([['1']])
  expect((await status()).plugins).toEqual([{ file: 'hello.php', name: 'Hello', version: '', active: true }])
  await expect(activate('missing.php')).rejects.toThrow('Plugin file does not exist')
  await expect(activate('../../../wp-config.php')).rejects.toThrow('needs the argument plugin')
})

test('installing a second time is refused', async () => {
  const args = { title: 't', user: 'u', email: 'e@example.com', password: 'p' }
  await expect(runCms({ ...target(), command: 'install', args })).rejects.toThrow('already installed')
  expect(existsSync(join(site.release, '.htaccess'))).toBe(false)
})
