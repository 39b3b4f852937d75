// `reeve doctor` on a throw-away server, and ways to break what it looks at.
import type { Examined } from '../../agent/src/doctor/check.ts'
import type { Server } from '../lab/server.ts'

export async function examine(server: Server): Promise<Examined[]> {
  // It tells by its exit code too, which would be an error here.
  const printed = await server.run('reeve doctor --json || [ $? = 1 ]', 120_000)
  return JSON.parse(printed)
}

/** Names of the checks that fail, each once. */
export async function failures(server: Server): Promise<string[]> {
  const examined = await examine(server)
  const failed = examined.filter(({ state }) => state === 'failed')
  return [...new Set(failed.map(({ check }) => check))].sort()
}

export interface Breakage {
  what: string
  /** Scripts of bash; repeatable. `$php` is the version. */
  breaks: string
  repairs: string
  /** The checks that name it. */
  named: string[]
}

export const breakages: readonly Breakage[] = [
  {
    what: 'a stopped object-cache server',
    breaks: 'systemctl stop redis-server',
    repairs: 'systemctl start redis-server',
    named: ['Redis', 'redis-server.service'],
  },
  {
    what: 'a service that does not start with the server',
    breaks: 'systemctl disable --quiet mariadb',
    repairs: 'systemctl enable --quiet mariadb',
    named: ['mariadb.service'],
  },
  {
    what: "a mistake in nginx's configuration",
    breaks: 'echo "no_such_directive on;" >/etc/nginx/conf.d/zz-mistake.conf',
    repairs: 'rm -f /etc/nginx/conf.d/zz-mistake.conf',
    named: ['nginx configuration'],
  },
  {
    what: 'a mistake in a pool of PHP',
    breaks: 'printf "[mistake]\\nuser = nobody-of-that-name\\n" >/etc/php/$php/fpm/pool.d/mistake.conf',
    repairs: 'rm -f /etc/php/$php/fpm/pool.d/mistake.conf',
    named: ['PHP $php configuration'],
  },
  {
    what: 'a rendered file that somebody edited',
    breaks:
      '[ -e /root/kept ] || cp -p /etc/redis/reeve.conf /root/kept; echo "# edited" >>/etc/redis/reeve.conf',
    repairs: '[ ! -e /root/kept ] || mv /root/kept /etc/redis/reeve.conf',
    named: ['rendered files'],
  },
  {
    what: 'a missing rule in front of the panel',
    breaks: 'nft delete table inet reeve 2>/dev/null || true',
    repairs: 'nft -f /usr/lib/reeve/system/panel-port.nft',
    named: ["the panel's port"],
  },
  {
    what: 'a certificate that has ended',
    breaks: `cd /etc/reeve/panel-tls/current/; [ -e /root/kept.pem ] || cp -p fullchain.pem /root/kept.pem
      openssl req -x509 -key privkey.pem -subj /CN=panel -not_before 20200101000000Z -not_after 20200201000000Z -out fullchain.pem`,
    repairs: '[ ! -e /root/kept.pem ] || mv /root/kept.pem /etc/reeve/panel-tls/current/fullchain.pem',
    named: ['certificates'],
  },
  {
    what: 'a damaged state database',
    breaks: `systemctl stop reeve-api; cd /var/lib/reeve; [ -e /root/kept.db ] || cp -p state.db /root/kept.db
      head -c 8192 /dev/urandom | dd of=state.db bs=4096 seek=1 conv=notrunc status=none`,
    repairs: '[ ! -e /root/kept.db ] || mv /root/kept.db /var/lib/reeve/state.db; systemctl start reeve-api',
    named: ['API', 'reeve-api.service', 'state database'],
  },
  {
    what: 'a full disk',
    breaks: 'rm -f /fill; fallocate -l $(($(df --output=avail -B1 / | tail -n 1) - 200000000)) /fill',
    repairs: 'rm -f /fill',
    named: ['disk'],
  },
]
