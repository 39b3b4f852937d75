import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { expect, onTestFinished, test } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { waitUntil } from '../processes.ts'
import { startTemporary } from '../services/temporary.ts'
import { agentRedisUser, renderRedisAcl } from './redis.ts'
import { renderRedis } from './render-redis.ts'

const golden = (name: string) => join(import.meta.dirname, 'golden', `${name}.conf`)

test.each([
  ['server-of-1-gigabyte', 1024],
  ['server-of-64-gigabytes', 65_536],
])('%s', async (name, memory_mb) => {
  await expect(renderRedis(pathsBelow('/'), { memory_mb })).toMatchFileSnapshot(golden(name))
})

test('redis-server runs with it: on a socket alone, for named accounts alone, with bounded memory', async () => {
  const root = mkdtempSync('/var/tmp/reeve-redis-')
  onTestFinished(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  const paths = pathsBelow(root)
  const folders = [paths.redisSocket, paths.redisPid, paths.redisLog, paths.redisAcl].map((file) =>
    dirname(file),
  )
  for (const folder of [...folders, paths.redisData]) mkdirSync(folder, { recursive: true })
  writeFileSync(paths.redisConf, renderRedis(paths, { memory_mb: 1024 }))
  writeFileSync(paths.redisAcl, renderRedisAcl('agent-password', []))
  const ask = (input: string) =>
    execFileSync('redis-cli', ['-s', paths.redisSocket], { encoding: 'utf8', input })
  const signIn = `AUTH ${agentRedisUser} agent-password\n`
  {
    await using server = startTemporary('/usr/bin/redis-server', [paths.redisConf])
    expect(await waitUntil(() => server.hasEnded() || existsSync(paths.redisSocket), 10_000)).toBe(true)
    expect(server.hasEnded()).toBe(false)
    expect(ask('PING\n')).toContain('NOAUTH')
    expect(ask(`${signIn}PING\n`)).toContain('PONG')
    expect(ask(`${signIn}SELECT 1\n`)).toContain('out of range')
    const said = ask(`${signIn}CONFIG GET maxmemory\nCONFIG GET maxmemory-policy\nCONFIG GET port\n`).split(
      '\n',
    )
    expect(said).toEqual(expect.arrayContaining([String(64 * 1024 * 1024), 'allkeys-lru', '0']))
    expect(listeningPorts(Number(readFileSync(paths.redisPid, 'utf8')))).toEqual([])
  }
})

/** Sockets of the process that listen on the network; `0A` is the kernel's TCP_LISTEN. */
function listeningPorts(pid: number): string[] {
  const inodes = execFileSync('find', [`/proc/${pid}/fd`, '-lname', 'socket:*', '-printf', '%l\n'], {
    encoding: 'utf8',
  })
  const own = new Set([...inodes.matchAll(/\d+/g)].map(String))
  const tables = [readFileSync('/proc/net/tcp', 'utf8'), readFileSync('/proc/net/tcp6', 'utf8')]
    .join('\n')
    .split('\n')
  const rows = tables.map((line) => line.trim().split(/\s+/))
  return rows.filter((row) => row[3] === '0A' && own.has(row[9] ?? '')).map((row) => row[1] ?? '')
}

test('values that the file cannot hold are refused', () => {
  for (const memory_mb of [Number.NaN, 0, -1, 1.5]) {
    expect(() => renderRedis(pathsBelow('/'), { memory_mb })).toThrow(AppError)
  }
  for (const root of ['/a b', '/a\nb', '/a#b', '/a;b', '/a"b', "/a'b", '/a$b', '/a%b', '/a\\b', '/a\0b']) {
    expect(() => renderRedis(pathsBelow(root), { memory_mb: 1024 })).toThrow(AppError)
  }
})
