// A staging copy in a real WordPress: nothing leaves it, however a plugin sends.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createPrivateSite,
  openPrivateHost,
  type PrivateHost,
  type PrivateSite,
} from '../private-wordpress.ts'

let host: PrivateHost
let site: PrivateSite
let outbox: string

beforeAll(async () => {
  host = await openPrivateHost()
  site = await createPrivateSite(host, { number: 1, url: 'https://shop.example.com' })
  outbox = join(host.paths.root, 'outbox')
  mkdirSync(outbox)
  chmodSync(outbox, 0o777)
  const plugin = join(site.release, 'wp-content/plugins/mailer.php')
  writeFileSync(
    plugin,
    `<?php /* Plugin Name: Mailer */
    if ( getenv( 'OWN_MAILER' ) && ! function_exists( 'wp_mail' ) ) {
      function wp_mail( $to, $subject, $message ) { return mail( $to, $subject, $message ); }
    }
    if ( getenv( 'FORCED' ) ) add_filter( 'pre_wp_mail', '__return_null', PHP_INT_MAX );`,
  )
}, 120_000)

afterAll(() => host?.[Symbol.asyncDispose]())

/** What wp_mail() answers, and whether a message reached the host's mailer. */
function send(environment: string, env: Record<string, string> = {}): { said: string; isSent: boolean } {
  const config = join(site.shared, 'wp-config.php')
  const text = readFileSync(config, 'utf8').replace(
    /define\( 'WP_ENVIRONMENT_TYPE', '[a-z]+' \)/,
    `define( 'WP_ENVIRONMENT_TYPE', '${environment}' )`,
  )
  writeFileSync(config, text)
  const message = join(outbox, 'message')
  rmSync(message, { force: true })
  const code = `$_SERVER['HTTP_HOST'] = 'shop.example.com'; require '${site.release}/wp-load.php';
    update_option( 'active_plugins', array( 'mailer.php' ) );
    echo json_encode( wp_mail( 'a@example.com', 'Subject', 'Text' ) );`
  const settings = ['-d', `sendmail_path=/usr/bin/tee ${message}`, '-d', 'error_log=/dev/null']
  const said = execFileSync('php', [...settings, '-r', code], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...env },
    uid: site.user.uid,
    gid: site.user.gid,
  })
  return { said, isSent: existsSync(message) }
}

test('a live site sends, by itself and by a plugin', () => {
  expect(send('production')).toMatchObject({ isSent: true })
  expect(send('production', { OWN_MAILER: '1' })).toMatchObject({ isSent: true })
})

test.each([
  ['by itself', {}],
  ['with a plugin that brings its own wp_mail()', { OWN_MAILER: '1' }],
  ['with a plugin that answers the filter', { FORCED: '1' }],
])('a staging copy sends nothing %s, and says that it did not', (_, env) => {
  expect(send('production')).toMatchObject({ isSent: true })
  expect(send('staging', env)).toEqual({ said: 'false', isSent: false })
})
