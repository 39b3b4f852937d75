// A WordPress site made the way a careful administrator scripts it: standard tools, one after the other, nothing
// waited for longer than it takes. It uses the services of a running Reeve, so that both ways meet the same nginx,
// PHP-FPM, MariaDB and Redis with the same settings, and its configuration files hold the text that Reeve would
// write: what is compared is the work, not the wording. Writing those texts costs it nothing.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Domain, SiteId, type PhpVersion } from '@reeve/contract/primitives.ts'
import { profileCache } from '@reeve/contract/sites.ts'
import { renderWpConfig } from '../../agent/src/cms/render-wp-config.ts'
import { agentRedisUser, siteAclRules } from '../../agent/src/object-cache/redis.ts'
import { type Paths, pathsBelow } from '../../agent/src/paths.ts'
import { pingPool } from '../../agent/src/php/fastcgi.ts'
import { defaultPhpLimits, renderPool, requestTimeoutS } from '../../agent/src/php/render-pool.ts'
import { installedPhpVersions, workerBudget } from '../../agent/src/php/versions.ts'
import { nginxFeatures, sitePorts } from '../../agent/src/web-server/features.ts'
import { plainSettings } from '../../agent/src/web-server/render-settings.ts'
import { renderVhost } from '../../agent/src/web-server/render-vhost.ts'
import { repository, type Reeve } from '../src/reeve.ts'
import { visit } from '../src/visitor.ts'
import { tool, until } from './by-hand-tools.ts'

/** Ids that the benchmark's Reeve does not reach. */
const firstNumber = 9000
const password = 'correct horse battery staple'

interface HandSite {
  paths: Paths
  php: PhpVersion
  httpPort: number
  httpsPort: number
  domain: Domain
  id: SiteId
  user: string
  uid: number
  home: string
  release: string
  shared: string
  database: string
  title: string
}

export interface StepTime {
  name: string
  ms: number
}

export interface HandRun {
  totalMs: number
  steps: StepTime[]
  /** Takes the site away again; not measured. */
  remove(): Promise<void>
}

/** Makes site number `count`; throws unless its front page is WordPress's own. */
export async function createByHand(reeve: Reeve, count: number): Promise<HandRun> {
  const site = describe(reeve, count)
  const steps: StepTime[] = []
  const began = performance.now()
  for (const [name, step] of await stepsOf(site)) {
    const from = performance.now()
    await step()
    steps.push({ name, ms: performance.now() - from })
  }
  return { totalMs: performance.now() - began, steps, remove: () => remove(site) }
}

function describe(reeve: Reeve, count: number): HandSite {
  const paths = pathsBelow(reeve.root)
  const [php] = installedPhpVersions()
  if (php === undefined) throw new Error('No PHP-FPM is installed.')
  const domain = Domain.parse(`by-hand-${count}.example.com`)
  const number = firstNumber + count
  const home = paths.site(domain)
  return {
    paths,
    php,
    httpPort: reeve.httpPort,
    httpsPort: reeve.httpsPort,
    domain,
    id: SiteId.parse(`s${letters(number).padStart(15, 'a')}`),
    user: `site-${number}`,
    uid: 20_000 + number,
    home,
    release: join(home, 'releases/1'),
    shared: join(home, 'shared'),
    database: `site_${number}`,
    title: `By hand ${count}`,
  }
}

const letters = (number: number): string =>
  [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')

type Steps = [name: string, step: () => void | Promise<void>][]

async function stepsOf(site: HandSite): Promise<Steps> {
  const vhost = await vhostText(site)
  const { paths, user, php } = site
  return [
    ['useradd', () => addUser(site)],
    ['directories', () => makeDirectories(site)],
    ['copy of the core', () => copyCore(site)],
    ['database, user, grant', () => createDatabase(site)],
    ['redis account', () => redis(site, `ACL SETUSER ${user} ${siteAclRules({ name: user, password })}`)],
    ['wp-config with salts', () => writeConfig(site)],
    ['links', () => linkShared(site)],
    ['certificate', () => makeCertificate(site)],
    ['pool file', () => writeFileSync(paths.fpmPool(php, user), poolText(site), { mode: 0o640 })],
    ['php-fpm -t', () => testFpm(site)],
    ['FPM reload until the socket answers', () => reloadFpm(site)],
    ['vhost file', () => writeFileSync(paths.vhost(site.domain), vhost, { mode: 0o640 })],
    ['nginx -t', () => tool('nginx', ['-t', '-q', '-c', paths.nginxConf])],
    ['nginx reload until served', () => reloadNginx(site)],
    ["WordPress's installer", () => install(site)],
    ['object cache on', () => enableObjectCache(site)],
    ['first uncached page', () => firstPage(site)],
  ]
}

function addUser({ user, uid, home }: HandSite): void {
  const ids = ['--uid', String(uid), '--user-group', '--no-create-home', '--home-dir', home]
  tool('useradd', [...ids, '--shell', '/usr/sbin/nologin', '--no-log-init', user])
}

function makeDirectories({ paths, domain, home, shared, user }: HandSite): void {
  const owned = [
    ...['uploads', 'exports'].map((name) => join(shared, name)),
    join(home, 'logs'),
    ...['sessions', 'uploads', 'php'].map((name) => join(home, 'tmp', name)),
  ]
  tool('mkdir', ['-p', join(home, 'releases'), ...owned, paths.siteLogs(domain)])
  tool('chown', [`${user}:${user}`, ...owned])
  tool('chmod', ['750', home])
  tool('setfacl', ['-m', `u:${user}:rx,u:www-data:rx`, home])
}

function copyCore({ paths, release, user }: HandSite): void {
  const version = readdirSync(paths.cores).find((name) => /^\d/.test(name))
  if (version === undefined) throw new Error(`No WordPress is in ${paths.cores}.`)
  tool('cp', ['-a', paths.core(version), release])
  tool('chown', ['-R', `${user}:${user}`, release])
}

function createDatabase(site: HandSite): void {
  const { database } = site
  sql(
    site,
    `CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
     CREATE USER '${database}'@'localhost' IDENTIFIED BY '${password}';
     GRANT ALL PRIVILEGES ON \`${database.replace('_', '\\_')}\`.* TO '${database}'@'localhost';`,
  )
}

function sql({ paths }: HandSite, statements: string): void {
  tool(
    'mariadb',
    ['--no-defaults', '--protocol=socket', `--socket=${paths.mariadbSocket}`, '--user=root'],
    statements,
  )
}

function redis({ paths }: HandSite, command: string): void {
  const secret = readFileSync(join(paths.agentState, 'redis-password'), 'utf8').trim()
  const answer = tool(
    'redis-cli',
    ['-s', paths.redisSocket],
    `AUTH ${agentRedisUser} ${secret}\n${command}\n`,
  )
  if (/^(ERR|NOPERM|WRONGPASS)/m.test(answer)) throw new Error(`Redis refused "${command}": ${answer}`)
}

function writeConfig({ paths, shared, database, user, uid, domain, httpsPort }: HandSite): void {
  const salts = Array.from({ length: 8 }, () => tool('openssl', ['rand', '-base64', '48']).trim())
  const text = renderWpConfig({
    database: { name: database, user: database, password, socket: paths.mariadbSocket },
    salts,
    tablePrefix: 'wp_',
    url: `https://${domain}:${httpsPort}`,
    redis: { socket: paths.redisSocket, user, password, prefix: user },
    connectorToken: 'token',
    purgeMark: '/nonexistent',
  })
  const path = join(shared, 'wp-config.php')
  writeFileSync(path, text, { mode: 0o640 })
  chownSync(path, 0, uid)
}

function linkShared({ home, release, shared, user }: HandSite): void {
  tool('ln', ['-s', join(shared, 'wp-config.php'), join(release, 'wp-config.php')])
  tool('ln', ['-s', join(shared, 'uploads'), join(release, 'wp-content/uploads')])
  tool('chown', ['-h', `${user}:${user}`, join(release, 'wp-content/uploads')])
  tool('ln', ['-s', 'releases/1', join(home, 'current')])
}

function makeCertificate({ paths, id, domain }: HandSite): void {
  const directory = paths.siteTls(id)
  mkdirSync(directory, { mode: 0o700 })
  const files = ['-keyout', join(directory, 'privkey.pem'), '-out', join(directory, 'fullchain.pem')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '825']
  const name = ['-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:${domain}`]
  tool('openssl', ['req', '-x509', ...key, ...name, ...files])
}

function poolText({ paths, domain, php, user }: HandSite): string {
  const socket = paths.fpmSocket(user, php)
  return renderPool(paths, { domain, user, socket, workers: workerBudget(), limits: defaultPhpLimits })
}

function testFpm({ paths, php }: HandSite): void {
  tool(`php-fpm${php}`, ['--test', '--fpm-config', paths.fpmConf(php)], '', {
    PHP_INI_SCAN_DIR: `/etc/php/${php}/fpm/conf.d:${dirname(paths.fpmIni(php))}`,
  })
}

async function reloadFpm({ paths, php, user }: HandSite): Promise<void> {
  process.kill(Number(readFileSync(paths.fpmPid(php), 'utf8')), 'SIGUSR2')
  await until('the pool', () => pingPool(paths.fpmSocket(user, php)))
}

async function vhostText({ paths, domain, id, php, user, httpPort, httpsPort }: HandSite): Promise<string> {
  const tls = paths.siteTls(id)
  const { ttl_s, stale_s } = profileCache.balanced
  return renderVhost(paths, {
    ...plainSettings,
    ...{ id, domain, aliases: [], type: 'wordpress', profile: 'balanced', user, proxy_upstream: null },
    cache: { enabled: true, ttl_s, bypass_paths: [] },
    php_socket: paths.fpmSocket(user, php),
    stale_s,
    certificate: { chain: join(tls, 'fullchain.pem'), key: join(tls, 'privkey.pem') },
    ports: sitePorts(httpPort, httpsPort),
    nginx: await nginxFeatures(),
    api_port: 5252,
    limits: {
      upload_max_mb: defaultPhpLimits.upload_max_mb,
      request_timeout_s: requestTimeoutS(defaultPhpLimits),
    },
  })
}

async function reloadNginx({ paths, domain, httpsPort }: HandSite): Promise<void> {
  tool('nginx', ['-s', 'reload', '-c', paths.nginxConf])
  // A file that needs no PHP, so that asking costs little.
  await until('the vhost', async () => (await statusOf(domain, httpsPort, '/license.txt')) === 200)
}

const statusOf = (domain: string, port: number, path: string): Promise<number> =>
  visit(domain, { port, path }).then(
    ({ status }) => status,
    () => 0,
  )

// The installer mails the administrator and asks the site over HTTP whether permalinks work. Neither is counted.
const installer = `<?php
define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST'] = $argv[2];
$_SERVER['HTTPS'] = 'on';
function wp_new_blog_notification() {}
require $argv[1] . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter( 'pre_http_request', fn() => new WP_Error( 'off', 'off' ) );
wp_install( $argv[3], 'editor', 'editor@example.com', true, '', trim( fgets( STDIN ) ) );
update_option( 'permalink_structure', '/%postname%/' );
`

function install({ paths, php, home, release, domain, httpsPort, uid, title }: HandSite): void {
  const script = join(paths.run, '../by-hand-install.php')
  if (!existsSync(script)) writeFileSync(script, installer)
  const identity = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--']
  const args = ['-d', 'display_errors=stderr', script, release, `${domain}:${httpsPort}`, title]
  tool('setpriv', [...identity, `/usr/bin/php${php}`, ...args], `${password}\n`)
  chmodSync(home, 0o750)
}

function enableObjectCache({ release, user }: HandSite): void {
  const dropIn = join(release, 'wp-content/object-cache.php')
  tool('cp', ['-r', join(repository, 'packages/wordpress/object-cache'), join(release, 'wp-content/reeve')])
  writeFileSync(dropIn, "<?php\nrequire __DIR__ . '/reeve/object-cache.php';\n")
  tool('chown', ['-R', `${user}:${user}`, join(release, 'wp-content/reeve'), dropIn])
}

async function firstPage({ domain, httpsPort, title, paths }: HandSite): Promise<void> {
  const { status, text } = await visit(domain, { port: httpsPort, path: '/?uncached' })
  if (status === 200 && text.includes(title) && text.includes('</html>')) return
  throw new Error(`The front page of ${domain} answers ${status}; see ${paths.siteLogs(domain)}.`)
}

async function remove(site: HandSite): Promise<void> {
  const { paths, php, user, uid, domain, database, id, home } = site
  tool('rm', ['-f', paths.vhost(domain), paths.fpmPool(php, user)])
  tool('nginx', ['-s', 'reload', '-c', paths.nginxConf])
  process.kill(Number(readFileSync(paths.fpmPid(php), 'utf8')), 'SIGUSR2')
  await until('the end of the pool', async () => !(await pingPool(paths.fpmSocket(user, php))))
  sql(site, `DROP DATABASE \`${database}\`; DROP USER '${database}'@'localhost';`)
  redis(site, `ACL DELUSER ${user}`)
  tool('rm', ['-rf', home, paths.siteLogs(domain), paths.siteTls(id), paths.pageCache(id)])
  spawnSync('pkill', ['-KILL', '-U', String(uid)])
  await until('the end of its processes', async () => spawnSync('pgrep', ['-U', String(uid)]).status !== 0)
  tool('userdel', ['--force', user])
}
