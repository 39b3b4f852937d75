// The matrix of probes: what is asked for, of whom, and what came back.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { daemonPid, type Reeve } from '../reeve.ts'
import { callScript, type Planted, type Tenant } from './tenant.ts'

interface Attempt {
  reached: boolean
  detail: string
}

export interface Probe extends Attempt {
  name: string
  /** The same on the site's own thing; null where no site may have that. */
  control: Attempt | null
}

export interface Matrix {
  uid: number
  open_basedir: string
  probes: Probe[]
}

/** Runs every probe inside `from` against `to` and the panel. */
export function runProbes(
  reeve: Reeve,
  from: { tenant: Tenant; planted: Planted },
  to: { tenant: Tenant; planted: Planted },
  extra: { blindEmail: string; lookalikeDatabase: string },
): Promise<Matrix> {
  return callScript<Matrix>(reeve, from.tenant, 'probes.php', {
    own: target(from.tenant, from.planted),
    other: target(to.tenant, to.planted),
    host: hostTargets(reeve, from.tenant, to.tenant, extra),
  })
}

function target(tenant: Tenant, planted: Planted) {
  const { home, user, uid, code, database, redis, fpmSocket } = tenant
  const wpConfig = join(home, 'shared/wp-config.php')
  return {
    user,
    domain: tenant.domain,
    connection: planted.connection,
    uid,
    home,
    database,
    redis,
    mark: user,
    key: uid,
    pid: planted.pid,
    fpm_socket: fpmSocket,
    script: join(code.dir, 'returns.php'),
    files: {
      ...(existsSync(wpConfig) ? { 'wp-config': wpConfig } : {}),
      uploads: join(home, 'shared/uploads/planted.txt'),
      exports: join(home, 'shared/exports/planted.txt'),
      session: join(home, `tmp/sessions/sess_session-${user}`),
      'temporary file': join(home, 'tmp/php/planted.txt'),
      'PHP error log': join(home, 'logs/php-error.log'),
      'front controller': join(home, 'current/index.php'),
    },
    folders: {
      home,
      current: join(home, 'current'),
      releases: join(home, 'releases'),
      uploads: join(home, 'shared/uploads'),
      exports: join(home, 'shared/exports'),
      sessions: join(home, 'tmp/sessions'),
      temporary: join(home, 'tmp/php'),
      logs: join(home, 'logs'),
    },
  }
}

function hostTargets(
  reeve: Reeve,
  from: Tenant,
  to: Tenant,
  extra: { blindEmail: string; lookalikeDatabase: string },
) {
  const at = (path: string) => join(reeve.root, path)
  const [php = ''] = ['8.2', '8.3', '8.4', '8.5'].filter((version) => existsSync(at(`etc/php/${version}`)))
  return {
    link_dir: from.code.dir,
    agent_pid: daemonPid(reeve.root, 'agent'),
    api_pid: daemonPid(reeve.root, 'api'),
    agent_socket: at('run/reeve/agent.sock'),
    placeholder_socket: at(`run/php/placeholder-${php}.sock`),
    redis_socket: from.redis.socket,
    panel: `127.0.0.1:${reeve.port}`,
    web: `127.0.0.1:${reeve.httpPort}`,
    blind_email: extra.blindEmail,
    lookalike_database: extra.lookalikeDatabase,
    closed_files: mustExist({
      'state.db': at('var/lib/reeve/state.db'),
      'the key of TOTP seeds': at('var/lib/reeve/secret.key'),
      'registry.db': at('var/lib/reeve-agent/registry.db'),
      "the object cache's root password": at('var/lib/reeve-agent/redis-password'),
      "the object cache's accounts": at('etc/redis/users.acl'),
      "the other site's TLS key": at(`etc/reeve/tls/${to.id}/current/privkey.pem`),
      "the site's own TLS key": at(`etc/reeve/tls/${from.id}/current/privkey.pem`),
      "the other site's access log": at(`var/log/reeve/${to.domain}/access.log`),
      "the other site's error log": at(`var/log/reeve/${to.domain}/error.log`),
      "the agent's log": at('var/log/reeve/agent.log'),
      "the API's log": at('var/log/reeve/api.log'),
      "nginx's error log": at('var/log/nginx/error.log'),
      "PHP-FPM's log": at(`var/log/php${php}-fpm.log`),
      "MariaDB's log": at('var/log/mariadb.log'),
      "Redis's log": at('var/log/redis.log'),
      "MariaDB's tables": at('var/lib/mysql/mysql/db.MAD'),
      "the other site's table": at(`var/lib/mysql/${to.database.name}/planted.ibd`),
      "the other site's configuration": at(`etc/nginx/sites-enabled/${to.domain}.conf`),
      "the other site's pool": at(`etc/php/${php}/fpm/pool.d/${to.user}.conf`),
      '/etc/shadow': '/etc/shadow',
    }),
    closed_folders: mustExist({
      "the panel's state": at('var/lib/reeve'),
      "the agent's state": at('var/lib/reeve-agent'),
      "the panel's sockets": at('run/reeve'),
      'the sites': at('srv/sites'),
      'removed sites': at('srv/sites/.trash'),
      'TLS keys': at('etc/reeve/tls'),
      "the sites' logs": at('var/log/reeve'),
      "the other site's logs": at(`var/log/reeve/${to.domain}`),
      'page caches': at('var/cache/nginx/reeve'),
      "the other site's page cache": at(`var/cache/nginx/reeve/${to.id}`),
      "nginx's temporary files": at('var/lib/nginx'),
      "the sites' configuration": at('etc/nginx/sites-enabled'),
      'the pools': at(`etc/php/${php}/fpm/pool.d`),
      'the database files': at('var/lib/mysql'),
      "Redis's files": at('var/lib/redis'),
    }),
    read_only: mustExist({
      'the shared WordPress': at('usr/local/lib/reeve/wordpress'),
      'the connector': at('usr/local/lib/reeve/cms/connector/reeve-connector.php'),
      'the object-cache drop-in': at('usr/local/lib/reeve/cms/object-cache/object-cache.php'),
      'compiled WordPress': at(`var/cache/reeve/opcache/${php}`),
      'the program': at('usr/lib/reeve/reeve.cjs'),
      'the challenges': at('var/lib/reeve-acme'),
      "PHP's settings": at(`etc/php/${php}/fpm/reeve.d/99-reeve.ini`),
      "nginx's configuration": at('etc/nginx/reeve-nginx.conf'),
      "the site's own configuration": at(`etc/nginx/sites-enabled/${from.domain}.conf`),
      "the site's own pool socket": from.fpmSocket,
      "the site's own home": from.home,
      "the site's own current link": join(from.home, 'current'),
      '/etc/passwd': '/etc/passwd',
      '/etc/cron.d': '/etc/cron.d',
      '/usr/bin': '/usr/bin',
    }),
  }
}

/** A path that is not there would be "refused" for ever. */
function mustExist(paths: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const missing = Object.entries(paths).filter(([, path]) => !existsSync(path))
  if (missing.length > 0) throw new Error(`not there: ${missing.map((entry) => entry.join(' ')).join(', ')}`)
  return paths
}
