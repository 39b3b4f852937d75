import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { startTime, waitUntil } from '../processes.ts'
import type { Service } from './service.ts'
import { superviseService } from './supervised.ts'
import { makeFolder } from '../testing/folder.ts'

const started: Service[] = []
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop()
})

/** A Redis without data on a socket in a directory of its own. */
function redisIn(directory: string, readyTimeoutMs = 10_000): Service {
  const config = join(directory, 'redis.conf')
  chmodSync(directory, 0o755)
  writeFileSync(config, `port 0\nunixsocket ${join(directory, 'redis.sock')}\nsave ""\ndir ${directory}\n`)
  const service = superviseService({
    name: 'redis',
    program: '/usr/bin/redis-server',
    args: [config],
    identity: join(directory, 'redis.sock'),
    logPath: join(directory, 'redis.log'),
    runDirectory: directory,
    isReady: async () =>
      readFileSync(join(directory, 'redis.log'), 'utf8').includes('ready to accept connections'),
    readyTimeoutMs,
    stopSignal: 'SIGTERM',
    log: () => {},
  })
  started.push(service)
  return service
}

const directory = () => makeFolder('supervised')

it('starts a service once it answers, and starts it again when it dies', async () => {
  const service = redisIn(directory())
  await service.ensureRunning()
  const first = service.mainPid()
  service.signal('SIGKILL')
  expect(await waitUntil(() => service.mainPid() !== undefined && service.mainPid() !== first, 5000)).toBe(
    true,
  )
})

it('takes over a process that an earlier agent started, also one whose pid was never recorded', async () => {
  const at = directory()
  const before = redisIn(at)
  await before.ensureRunning()
  const pid = before.mainPid()
  expect(redisIn(at).mainPid()).toBe(pid)
  writeFileSync(join(at, 'redis.pid'), '999999 1\n')
  const after = redisIn(at)
  await after.ensureRunning()
  expect(after.mainPid()).toBe(pid)
})

it('does not take a process for the service that only has its old pid', async () => {
  const at = directory()
  writeFileSync(join(at, 'redis.pid'), `${process.pid} 12345\n`)
  expect(redisIn(at).mainPid()).toBeUndefined()
})

it('leaves nothing running when stopped', async () => {
  const service = redisIn(directory())
  await service.ensureRunning()
  const pid = service.mainPid() ?? 0
  await service.stop()
  expect(startTime(pid)).toBeUndefined()
  expect(service.mainPid()).toBeUndefined()
})

it('says where to look when a service does not start', async () => {
  const at = directory()
  const service = redisIn(at, 1500)
  writeFileSync(join(at, 'redis.conf'), 'no-such-directive yes\n')
  await expect(service.ensureRunning()).rejects.toThrow(
    /redis did not start; its own words are in .*redis\.log/,
  )
})
