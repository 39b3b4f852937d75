// The embedded object-cache server: one Unix socket, nothing on disk, accounts from the ACL file alone.
import type { Paths } from '../paths.ts'
import { integerValue, pathValue } from '../render-values.ts'

/** `memory_mb` is the machine's; a sixteenth of it is for cached objects. */
export function renderRedis(paths: Paths, input: { memory_mb: number }): string {
  const memoryMb = integerValue('memory size', input.memory_mb, 128, 16_777_216)
  return `port 0
unixsocket ${pathValue('cache socket', paths.redisSocket)}
# Every site's user connects; what they may do is said by the ACL file, where the default user is off.
unixsocketperm 777
aclfile ${pathValue('cache account file', paths.redisAcl)}
pidfile ${pathValue('cache pid path', paths.redisPid)}
logfile ${pathValue('cache log path', paths.redisLog)}
dir ${pathValue('cache path', paths.redisData)}
daemonize no
supervised no
databases 1
save ""
appendonly no
maxmemory ${Math.max(32, Math.min(4096, Math.floor(memoryMb / 16)))}mb
maxmemory-policy allkeys-lru
maxclients 4096
enable-protected-configs no
enable-debug-command no
enable-module-command no
`
}
