// Every path the agent uses, below the root prefix. No other file joins a path from `root`.
import { join } from 'node:path'
import type { Domain, PhpVersion, SiteId } from '@reeve/contract/primitives.ts'

export type Paths = ReturnType<typeof pathsBelow>

/** `root` is `/` on an installed server and a directory when embedded. */
export function pathsBelow(root: string) {
  const at = (...parts: string[]) => join(root, ...parts)
  return {
    root,
    run: at('run/reeve'),
    agentSocket: at('run/reeve/agent.sock'),
    agentState: at('var/lib/reeve-agent'),
    registry: at('var/lib/reeve-agent/registry.db'),
    /** Edits by hand that were discarded, for a fortnight. */
    driftBucket: at('var/lib/reeve-agent/drift'),
    apiState: at('var/lib/reeve'),

    sites: at('srv/sites'),
    /** Root only: trees wait here for removal, out of reach of the user that owned them. */
    trash: at('srv/sites/.trash'),
    site: (domain: Domain) => at('srv/sites', domain),
    logs: at('var/log/reeve'),
    siteLogs: (domain: Domain) => at('var/log/reeve', domain),
    serviceLogs: at('var/log'),

    /** Shared, root-owned WordPress cores: `<version>/`. */
    cores: at('usr/local/lib/reeve/wordpress'),
    core: (version: string) => at('usr/local/lib/reeve/wordpress', version),
    /** The connector, drop-in and runner of packages/wordpress, root-owned. */
    cmsParts: at('usr/local/lib/reeve/cms'),

    /** Ours on both kinds of server; the distribution's `nginx.conf` stays as it is. */
    nginxConf: at('etc/nginx/reeve-nginx.conf'),
    nginxModules: at('etc/nginx/modules-enabled'),
    reeveConf: at('etc/nginx/conf.d/reeve.conf'),
    nginxConfD: at('etc/nginx/conf.d'),
    nginxSites: at('etc/nginx/sites-enabled'),
    vhost: (domain: Domain) => at('etc/nginx/sites-enabled', `${domain}.conf`),
    nginxPid: at('run/nginx.pid'),
    nginxTemp: at('var/lib/nginx'),
    nginxErrorLog: at('var/log/nginx/error.log'),
    nginxAccessLog: at('var/log/nginx/access.log'),
    /** Answers the generation of the configuration that nginx serves, and purges pages; root's directory. */
    nginxStatusSocket: at('run/nginx/status.sock'),
    pageCaches: at('var/cache/nginx/reeve'),
    pageCache: (id: SiteId) => at('var/cache/nginx/reeve', id),
    /** Changes with every purge; WordPress reads it before and after it makes a page. */
    purgeMark: (domain: Domain) => at('srv/sites', domain, 'tmp/purge-mark'),
    panelVhost: at('etc/nginx/conf.d/reeve-panel.conf'),
    panelTls: at('etc/reeve/panel-tls'),
    tls: at('etc/reeve/tls'),
    siteTls: (id: SiteId) => at('etc/reeve/tls', id),
    /** User and password hash of each site that has a password prompt. */
    passwords: at('etc/reeve/passwords'),
    sitePasswords: (id: SiteId) => at('etc/reeve/passwords', id),
    acmeChallenges: at('var/lib/reeve-acme'),
    /** What is remembered between two attempts at a site's certificate. */
    acmeSite: (id: SiteId) => at('var/lib/reeve-agent/acme/sites', `${id}.json`),
    /** Our account at an authority; `name` is a hash of its address. */
    acmeAccount: (name: string) => at('var/lib/reeve-agent/acme/accounts', `${name}.json`),

    /** Not the distribution's `php-fpm.conf`, which stays as it is. */
    fpmConf: (version: PhpVersion) => at('etc/php', version, 'fpm/reeve.conf'),
    /** Settings of ours, read after the distribution's `conf.d`. */
    fpmIni: (version: PhpVersion) => at('etc/php', version, 'fpm/reeve.d/99-reeve.ini'),
    fpmPools: (version: PhpVersion) => at('etc/php', version, 'fpm/pool.d'),
    fpmPool: (version: PhpVersion, user: string) => at('etc/php', version, 'fpm/pool.d', `${user}.conf`),
    fpmPid: (version: PhpVersion) => at('run/php', `php${version}-fpm.pid`),
    fpmLog: (version: PhpVersion) => at('var/log', `php${version}-fpm.log`),
    fpmSockets: at('run/php'),
    /** One a version: while a site changes its version both pools serve. */
    fpmSocket: (user: string, version: PhpVersion) => at('run/php', `${user}-${version}.sock`),
    /** What PHP finds at `/tmp` and its like. */
    phpTemporary: at('var/lib/reeve-php/tmp'),
    /** Seeded by root with the shared cores, read-only for pools. */
    opcacheFiles: (version: PhpVersion) => at('var/cache/reeve/opcache', version),

    /** `bin/php` is that version, with the settings of cron jobs. */
    cronPhp: (version: PhpVersion) => at('usr/local/lib/reeve/php', version),
    cronStore: at('var/lib/reeve-agent/cron.db'),

    /** Keys of sites' users, by name. */
    sshKeys: at('etc/reeve/ssh-keys'),
    sshKeysOf: (user: string) => at('etc/reeve/ssh-keys', user),
    /** Of the embedded run's own sshd. */
    sshdConf: at('etc/reeve/sshd/sshd_config'),
    sshHostKey: at('etc/reeve/sshd/host_ed25519_key'),
    /** On an installed server. */
    sshdDropIn: at('etc/ssh/sshd_config.d/reeve.conf'),

    mariadbConf: at('etc/mysql/reeve.cnf'),
    /** Read by an installed server beside the distribution's own files. */
    mariadbFragment: at('etc/mysql/mariadb.conf.d/99-reeve.cnf'),
    mariadbData: at('var/lib/mysql'),
    mariadbSocket: at('run/mysqld/mysqld.sock'),
    mariadbPid: at('run/mysqld/mysqld.pid'),
    mariadbLog: at('var/log/mariadb.log'),

    systemdUnits: at('etc/systemd/system'),
    tmpfiles: at('etc/tmpfiles.d'),

    /** On an installed server these two are the distribution's. */
    logrotateConf: at('etc/logrotate.conf'),
    logrotateState: at('var/lib/logrotate/status'),
    logrotateFolder: at('etc/logrotate.d'),
    logRotation: at('etc/logrotate.d/reeve'),
    siteLogRotation: (user: string) => at('etc/logrotate.d', `reeve-${user}`),

    redisConf: at('etc/redis/reeve.conf'),
    redisAcl: at('etc/redis/users.acl'),
    redisSocket: at('run/redis/redis.sock'),
    redisPid: at('run/redis/redis.pid'),
    redisLog: at('var/log/redis.log'),
    redisData: at('var/lib/redis'),
  }
}
