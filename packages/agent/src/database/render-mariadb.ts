// The embedded database server: one Unix socket, no network, and memory in proportion to the machine.
import type { Paths } from '../paths.ts'
import { integerValue, pathValue } from '../render-values.ts'

/** An eighth of the memory: pages are served from the page cache, and PHP needs the rest more. */
const bufferPoolMb = (memoryMb: number): number => Math.max(64, Math.min(4096, Math.floor(memoryMb / 8)))

/** `memory_mb` is the machine's. */
export function renderMariadb(paths: Paths, input: { memory_mb: number }): string {
  const memoryMb = integerValue('memory size', input.memory_mb, 128, 16_777_216)
  return `[mariadbd]
user = mysql
datadir = ${pathValue('database path', paths.mariadbData)}
socket = ${pathValue('database socket', paths.mariadbSocket)}
pid-file = ${pathValue('database pid path', paths.mariadbPid)}
log-error = ${pathValue('database log path', paths.mariadbLog)}
skip-networking
skip-name-resolve
skip-symbolic-links
local-infile = OFF
event-scheduler = OFF
performance-schema = OFF
character-set-server = utf8mb4
collation-server = utf8mb4_unicode_ci
max-connections = 300
max-allowed-packet = 64M
key-buffer-size = 8M
aria-pagecache-buffer-size = 16M
innodb-buffer-pool-size = ${bufferPoolMb(memoryMb)}M
innodb-log-file-size = 64M
innodb-flush-log-at-trx-commit = 1
`
}
