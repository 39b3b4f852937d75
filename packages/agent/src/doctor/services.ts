// Whether the programs run and answer.
import { request } from 'node:http'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import { fpmProgram, run } from '../command.ts'
import { isMariadbReady } from '../database/mariadb.ts'
import { isRedisReady } from '../object-cache/redis.ts'
import type { Paths } from '../paths.ts'
import { fpmEnvironment } from '../php/fpm.ts'
import { installedPhpVersions } from '../php/versions.ts'
import { timers } from '../services/timers.ts'
import { type Check, failed, type Finding, ok } from './check.ts'
import type { Patient } from './patient.ts'

export function serviceChecks({ paths, panelPort, isInstalled }: Patient): Check[] {
  const versions = installedPhpVersions()
  return [
    ...(isInstalled ? unitChecks(versions) : []),
    {
      name: 'agent',
      why: 'Without the agent the panel changes nothing on this server; sites are served.',
      examine: async () =>
        (await answers({ socketPath: paths.agentSocket, path: '/ping' }))
          ? ok('the agent answers')
          : failed(`the agent does not answer at ${paths.agentSocket}`, 'systemctl restart reeve-agent'),
    },
    {
      name: 'API',
      why: 'Without the API there is no panel; sites are served.',
      examine: async () =>
        (await answers({ host: '127.0.0.1', port: panelPort, path: '/healthz' }))
          ? ok('the API answers')
          : failed(
              `the API does not answer on port ${panelPort} of this machine`,
              'systemctl restart reeve-api',
            ),
    },
    { name: 'nginx configuration', why: whyNginx, examine: () => nginxTest(paths) },
    ...versions.map((version) => fpmTest(paths, version)),
    {
      name: 'MariaDB',
      why: 'Every WordPress site needs its database.',
      examine: async () =>
        (await isMariadbReady(paths))
          ? ok('MariaDB answers')
          : failed('MariaDB does not answer', 'systemctl restart mariadb; journalctl -u mariadb -n 50'),
    },
    {
      name: 'Redis',
      why: 'Sites with an object cache serve on without it, but slower.',
      examine: async () =>
        (await isRedisReady({ paths, redisPassword: agentPassword(paths) }))
          ? ok('Redis answers')
          : failed(
              'Redis does not answer',
              'systemctl restart redis-server; journalctl -u redis-server -n 50',
            ),
    },
  ]
}

const whyNginx = 'nginx goes on with its old configuration until it is restarted, and then serves no site.'

function unitChecks(versions: readonly PhpVersion[]): Check[] {
  const ours = timers.map(({ name, distributionUnit }) => distributionUnit ?? `reeve-${name}.timer`)
  const services = ['reeve-agent', 'reeve-api', 'nginx', 'mariadb', 'redis-server']
  const php = versions.map((version) => `php${version}-fpm`)
  const units = [...[...services, ...php].map((name) => `${name}.service`), ...ours]
  return units.map((unit) => ({
    name: unit,
    why: 'It must run now and start again with the server.',
    examine: async () => {
      const active = await ask('is-active', unit)
      if (active !== 'active') return failed(`${unit} is ${active}`, `systemctl start ${unit}`)
      const enabled = await ask('is-enabled', unit)
      if (enabled !== 'enabled')
        return failed(`${unit} does not start with the server`, `systemctl enable ${unit}`)
      return ok(`${unit} runs`)
    },
  }))
}

/** systemctl says a word for every state and tells by its exit code whether that is the good one. */
async function ask(question: 'is-active' | 'is-enabled', unit: string): Promise<string> {
  const { stdout } = await run('systemctl', [question, unit], { timeoutMs: 10_000, accept: [0, 1, 3, 4] })
  return stdout.trim() || 'unknown'
}

async function nginxTest(paths: Paths): Promise<Finding> {
  const test = `nginx -t -c ${paths.nginxConf}`
  const { code, stderr } = await run('nginx', ['-t', '-q', '-c', paths.nginxConf], {
    timeoutMs: 60_000,
    accept: [0, 1],
  })
  if (code === 0) return ok("nginx's configuration is valid")
  return failed(`nginx would not start with its configuration: ${lastLine(stderr)}`, test)
}

function fpmTest(paths: Paths, version: PhpVersion): Check {
  const arguments_ = ['--test', '--fpm-config', paths.fpmConf(version)]
  return {
    name: `PHP ${version} configuration`,
    why: 'PHP-FPM would not start again, and with it no site on this version.',
    examine: async () => {
      if (!existsSync(paths.fpmConf(version)))
        return failed(`PHP ${version} has no configuration of ours`, 'systemctl restart reeve-agent')
      const { code, stderr } = await run(fpmProgram(version), arguments_, {
        timeoutMs: 60_000,
        accept: [0, 1, 78],
        env: fpmEnvironment(paths, version),
      })
      if (code === 0) return ok(`the configuration of PHP ${version} is valid`)
      return failed(
        `PHP ${version} would not start with its configuration: ${lastLine(stderr)}`,
        `php-fpm${version} ${arguments_.join(' ')}`,
      )
    },
  }
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .find((line) => /emerg|ERROR/.test(line)) ??
  text.trim().split('\n').at(-1) ??
  ''

function agentPassword(paths: Paths): string {
  return readFileSync(join(paths.agentState, 'redis-password'), 'utf8').trim()
}

type Target = { socketPath: string; path: string } | { host: string; port: number; path: string }

function answers(target: Target): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const call = request({ ...target, timeout: 3000, agent: false }, (response) => {
    response.resume()
    resolve(response.statusCode === 200)
  })
  call.on('timeout', () => call.destroy())
  call.on('error', () => resolve(false))
  call.on('close', () => resolve(false))
  call.end()
  return promise
}
