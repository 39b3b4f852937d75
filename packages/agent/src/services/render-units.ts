// What is added to the distribution's units: they come back when they die, and run as the embedded ones do.
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import type { Paths } from '../paths.ts'
import { fpmEnvironment } from '../php/fpm.ts'
import { pathValue } from '../render-values.ts'
import { unitWord } from './unit.ts'

export interface DropIn {
  /** Without `.service`. */
  unit: string
  text: string
}

export interface DropInInput {
  fpm: readonly { version: PhpVersion; command: readonly string[] }[]
}

/** For nginx and for PHP-FPM. */
export const openFiles = 65_536

const comesBack = `Restart=on-failure
RestartSec=1
`

const unlimited = `[Unit]
StartLimitIntervalSec=0

[Service]
`

export function renderDropIns(paths: Paths, input: DropInInput): DropIn[] {
  return [
    { unit: 'nginx', text: nginx(paths) },
    { unit: 'mariadb', text: `${unlimited}${comesBack}` },
    { unit: 'redis-server', text: redis(paths) },
    ...input.fpm.map(({ version, command }) => ({
      unit: `php${version}-fpm`,
      text: fpm(paths, version, command),
    })),
  ]
}

function nginx(paths: Paths): string {
  const main = pathValue('main file', paths.nginxConf)
  const command = `/usr/sbin/nginx -c ${main} -g "daemon on; master_process on;"`
  return `${unlimited}# An nginx that was killed leaves the file behind, and the next one cannot bind it.
ExecStartPre=
ExecStartPre=-/bin/rm -f ${pathValue('status socket', paths.nginxStatusSocket)}
ExecStartPre=${command} -t -q
ExecStart=
ExecStart=${command}
ExecReload=
ExecReload=${command} -s reload
LimitNOFILE=${openFiles}
${comesBack}`
}

function redis(paths: Paths): string {
  return `${unlimited}ExecStart=
ExecStart=/usr/bin/redis-server ${pathValue('cache configuration', paths.redisConf)} --supervised systemd --daemonize no --pidfile /run/redis/redis-server.pid --logfile ""
${comesBack}`
}

function fpm(paths: Paths, version: PhpVersion, command: readonly string[]): string {
  const environment = Object.entries(fpmEnvironment(paths, version))
    .map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`)
    .join('')
  return `${unlimited}${environment}# A view of the machine in which sites do not see each other.
ExecStart=
ExecStart=${command.map(unitWord).join(' ')}
LimitNOFILE=${openFiles}
${comesBack}`
}
