// What of the server itself the code of a site is told to reach for.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Host, seenFromHere } from '../host.ts'
import type { Tenant } from './tenant.ts'

export function hostTargets(from: Tenant, to: Tenant) {
  const { host } = from
  const php = from.fpmSocket.replace(/^.*-|\.sock$/g, '')
  const at = (path: string) => join(host.ownRoot, path)
  return {
    link_dir: from.code.dir,
    agent_pid: ownPid(host.pid('agent')),
    api_pid: ownPid(host.pid('api')),
    agent_socket: at('run/reeve/agent.sock'),
    placeholder_socket: at(`run/php/placeholder-${php}.sock`),
    redis_socket: from.redis.socket,
    panel: `127.0.0.1:${host.port}`,
    web: `127.0.0.1:${host.http.port}`,
    has_systemd: host.ownRoot === '/',
    closed_files: mustExist(host, closedFiles(to, from, php)),
    closed_folders: mustExist(host, closedFolders(to, php)),
    read_only: mustExist(host, readOnly(from, php)),
  }
}

/** Number of a process among those of its own server. */
function ownPid(pid: number): number {
  const numbers = /^NSpid:(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
  return Number(numbers.trim().split(/\s+/).at(-1))
}

type Paths = Readonly<Record<string, string>>

/** Relative to the server's root, as all that follow; absolute ones are the machine's when embedded. */
function closedFiles(to: Tenant, from: Tenant, php: string): Paths {
  return {
    'state.db': 'var/lib/reeve/state.db',
    'the key of TOTP seeds': 'var/lib/reeve/secret.key',
    'registry.db': 'var/lib/reeve-agent/registry.db',
    "the object cache's root password": 'var/lib/reeve-agent/redis-password',
    "the object cache's accounts": 'etc/redis/users.acl',
    "the other site's TLS key": `etc/reeve/tls/${to.id}/current/privkey.pem`,
    "the site's own TLS key": `etc/reeve/tls/${from.id}/current/privkey.pem`,
    "the other site's access log": `var/log/reeve/${to.domain}/access.log`,
    "the other site's error log": `var/log/reeve/${to.domain}/error.log`,
    "nginx's error log": 'var/log/nginx/error.log',
    "PHP-FPM's log": `var/log/php${php}-fpm.log`,
    "MariaDB's tables": 'var/lib/mysql/mysql/db.MAD',
    "the other site's table": `var/lib/mysql/${to.database.name}/planted.ibd`,
    "the other site's configuration": `etc/nginx/sites-enabled/${to.domain}.conf`,
    "the other site's pool": `etc/php/${php}/fpm/pool.d/${to.user}.conf`,
    '/etc/shadow': '/etc/shadow',
    ...(to.host.ownRoot === '/' ? installedFiles(to.host) : embeddedFiles),
  }
}

const embeddedFiles: Paths = {
  "the agent's log": 'var/log/reeve/agent.log',
  "the API's log": 'var/log/reeve/api.log',
  "MariaDB's log": 'var/log/mariadb.log',
  "Redis's log": 'var/log/redis.log',
}

/** The journal holds the logs of every service. */
function installedFiles({ root }: Host): Paths {
  const [journal = 'var/log/journal'] = globSync('{var,run}/log/journal/*/system.journal', { cwd: root })
  return {
    'the journal': journal,
    "the proxy's secret": 'etc/reeve/proxy-secret.env',
    "the panel's virtual host": 'etc/nginx/conf.d/reeve-panel.conf',
    "the panel's TLS key": 'etc/reeve/panel-tls/current/privkey.pem',
    "the distribution's database account": 'etc/mysql/debian.cnf',
  }
}

function closedFolders(to: Tenant, php: string): Paths {
  return {
    "the panel's state": 'var/lib/reeve',
    "the agent's state": 'var/lib/reeve-agent',
    "the panel's sockets": 'run/reeve',
    'the sites': 'srv/sites',
    'removed sites': 'srv/sites/.trash',
    'TLS keys': 'etc/reeve/tls',
    "the sites' logs": 'var/log/reeve',
    "the other site's logs": `var/log/reeve/${to.domain}`,
    'page caches': 'var/cache/nginx/reeve',
    "the other site's page cache": `var/cache/nginx/reeve/${to.id}`,
    // Debian leaves the folder above it open, in which the names of five folders are.
    "nginx's temporary files": to.host.ownRoot === '/' ? 'var/lib/nginx/proxy' : 'var/lib/nginx',
    "the sites' configuration": 'etc/nginx/sites-enabled',
    'the pools': `etc/php/${php}/fpm/pool.d`,
    'the database files': 'var/lib/mysql',
    "Redis's files": 'var/lib/redis',
  }
}

function readOnly({ host, ...from }: Tenant, php: string): Paths {
  return {
    'the shared WordPress': 'usr/local/lib/reeve/wordpress',
    'the connector': 'usr/local/lib/reeve/cms/connector/reeve-connector.php',
    'the object-cache drop-in': 'usr/local/lib/reeve/cms/object-cache/object-cache.php',
    'compiled WordPress': `var/cache/reeve/opcache/${php}`,
    'the challenges': 'var/lib/reeve-acme',
    "PHP's settings": `etc/php/${php}/fpm/reeve.d/99-reeve.ini`,
    "nginx's configuration": 'etc/nginx/reeve-nginx.conf',
    "the site's own configuration": `etc/nginx/sites-enabled/${from.domain}.conf`,
    "the site's own pool socket": from.fpmSocket,
    "the site's own home": from.home,
    "the site's own current link": join(from.home, 'current'),
    '/etc/passwd': '/etc/passwd',
    '/etc/cron.d': '/etc/cron.d',
    '/usr/bin': '/usr/bin',
    ...(host.ownRoot === '/' ? installedReadOnly : { 'the program': 'usr/lib/reeve/reeve.cjs' }),
  }
}

const installedReadOnly: Paths = {
  'the program': 'usr/lib/reeve/reeve',
  "the panel's settings": 'etc/reeve/reeve.env',
  "the agent's unit": 'etc/systemd/system/reeve-agent.service',
  "the firewall's rule": 'usr/lib/reeve/system/panel-port.nft',
}

/** As the site knows them. A path that is not there would be "refused" for ever. */
function mustExist(host: Host, paths: Paths): Paths {
  const own = Object.entries(paths).map(([name, path]) => [name, resolve(host.ownRoot, path)] as const)
  const missing = own.filter(([, path]) => !existsSync(seenFromHere(host, path)))
  if (missing.length > 0) throw new Error(`not there: ${missing.map((entry) => entry.join(' ')).join(', ')}`)
  return Object.fromEntries(own)
}
