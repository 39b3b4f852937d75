// The object-cache server: one account a site, limited to keys below its own prefix.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import { redisCommands } from '../cms/redis-commands.ts'
import { run } from '../command.ts'
import { groupId } from '../host-accounts.ts'
import { type ManagedFile, writeManagedFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import type { Registry } from '../registry.ts'

/** The agent's own account; every other one, `default` included, has no administration commands. */
export const agentRedisUser = 'reeve-agent'

export const redisUserName = (siteNumber: number): string => `site-${siteNumber}`

export interface RedisAccount {
  name: string
  password: string
}

export interface RedisServer {
  paths: Paths
  registry: Registry
  /** Password of the agent's own account. */
  redisPassword: string
}

/** All that it takes to ask the server. */
export type RedisAccess = Pick<RedisServer, 'paths' | 'redisPassword'>

const hashOf = (password: string) => `#${createHash('sha256').update(password).digest('hex')}`

/** ACL rules of a site's account (Redis documentation, "ACL"): no SCAN, no KEYS, no FLUSH, no scripts. */
export function siteAclRules(account: RedisAccount): string {
  const commands = redisCommands.map((command) => `+${command}`).join(' ')
  return `reset on ${hashOf(account.password)} ~${account.name}:* resetchannels -@all ${commands}`
}

/** The whole ACL file, which the server reads when it starts. */
export function renderRedisAcl(agentPassword: string, accounts: readonly RedisAccount[]): string {
  const lines = accounts.map((account) => `user ${account.name} ${siteAclRules(account)}`)
  return [
    'user default reset off',
    `user ${agentRedisUser} reset on ${hashOf(agentPassword)} +@all ~* &*`,
    ...lines,
  ]
    .map((line) => `${line}\n`)
    .join('')
}

export async function redisCommand(server: RedisAccess, commands: readonly string[]): Promise<string[]> {
  const input = [`AUTH ${agentRedisUser} ${server.redisPassword}`, ...commands].join('\n')
  const { stdout } = await run('redis-cli', ['-s', server.paths.redisSocket], {
    input: `${input}\n`,
    timeoutMs: 5000,
  })
  const [auth, ...replies] = stdout.split('\n').filter((line) => line !== '')
  if (auth === undefined) throw redisAbsent()
  const problem = [auth, ...replies].find((line, at) =>
    at === 0 ? line !== 'OK' : /^(ERR|NOPERM|WRONGPASS)/.test(line),
  )
  if (problem) throw redisRefusal(problem)
  return replies
}

export const redisAbsent = (cause?: unknown) =>
  new AppError(
    'internal',
    'The object-cache server (redis-server) does not answer. Start it and try again.',
    {},
    cause,
  )

export const redisRefusal = (reply: string) =>
  new AppError('internal', `The object-cache server refused a command: ${reply}`)

/** The accounts of the registry's sites, which the server reads when it starts. */
export function aclFile(server: RedisServer): ManagedFile {
  const all = server.registry
    .listSites()
    .filter(({ spec }) => spec.object_cache)
    .map(({ number, secrets }) => ({ name: redisUserName(number), password: secrets.redisPassword }))
  return {
    path: server.paths.redisAcl,
    text: renderRedisAcl(server.redisPassword, all),
    mode: 0o640,
    gid: groupId('redis'),
    renderer: 'object-cache/acl',
    siteId: null,
  }
}

/** Writes the file for the next start and tells the running server, which drops nobody's connection. */
export async function ensureRedisAccount(server: RedisServer, account: RedisAccount): Promise<void> {
  writeManagedFile(server.registry, aclFile(server))
  await redisCommand(server, [`ACL SETUSER ${account.name} ${siteAclRules(account)}`])
}

// Key names are the site's own bytes, so they never leave the server: the script removes what SCAN finds.
const removeKeys = [
  "local cursor = '0' repeat local page = redis.call('SCAN', cursor, 'MATCH', ARGV[1], 'COUNT', 1000)",
  "cursor = page[1] for _, key in ipairs(page[2]) do redis.call('UNLINK', key) end until cursor == '0' return 1",
].join(' ')

/** Removes the account and every key below its prefix. The file goes last: it says what is still to be removed. */
export async function removeRedisAccount(server: RedisServer, name: string): Promise<void> {
  await redisCommand(server, [`ACL DELUSER ${name}`, `EVAL "${removeKeys}" 0 ${name}:*`])
  writeManagedFile(server.registry, aclFile(server))
}

export function hasRedisAccount({ paths }: RedisServer, name: string): boolean {
  return existsSync(paths.redisAcl) && readFileSync(paths.redisAcl, 'utf8').includes(`user ${name} `)
}

export async function isRedisReady(server: RedisAccess): Promise<boolean> {
  try {
    return (await redisCommand(server, ['PING'])).includes('PONG')
  } catch {
    return false
  }
}
