// Everything an operation needs, built once at start and passed as an argument.
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import type { SftpServer } from './access/sftp-server.ts'
import type { AgentConfig } from './config.ts'
import type { Cron } from './cron/cron.ts'
import type { KeyedLock } from './keyed-lock.ts'
import type { Log } from './log.ts'
import type { Paths } from './paths.ts'
import type { PhpService } from './php/fpm.ts'
import type { Registry } from './registry.ts'
import type { WebServer } from './web-server/nginx.ts'
import type { NginxFeatures, SitePorts } from './web-server/render-listen.ts'

export interface AgentContext {
  config: AgentConfig
  paths: Paths
  registry: Registry
  log: Log
  webServer: WebServer
  nginxFeatures: NginxFeatures
  ports: SitePorts
  php: ReadonlyMap<PhpVersion, PhpService>
  cron: Cron
  sftp: SftpServer
  /** Password of the agent's own account at the object-cache server. */
  redisPassword: string
  /** One operation a site at a time, by site id. */
  siteLock: KeyedLock
  /** Tools that lock a whole system file, by file. */
  hostLock: KeyedLock
}
