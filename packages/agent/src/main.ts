// The agent's life: read the configuration, bring the services up, listen, and stop when told to.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { operations } from '@reeve/contract/operations.ts'
import { resumeAccess } from './access/access.ts'
import { accessOperations } from './access/operations.ts'
import { auditOperations } from './audit/operations.ts'
import { certificateOperations } from './certificates/operations.ts'
import { cacheOperations } from './cache/operations.ts'
import { installCmsParts } from './cms/parts.ts'
import { prepareCms } from './cms/prepare.ts'
import { commandMarker } from './command.ts'
import { type AgentConfig, readConfig } from './config.ts'
import type { AgentContext } from './context.ts'
import { type BoundOperation, createDispatcher } from './dispatch.ts'
import { driftOperations } from './drift/operations.ts'
import { groupId } from './host-accounts.ts'
import { createKeyedLock } from './keyed-lock.ts'
import { describeError, log } from './log.ts'
import { logOperations } from './logs/operations.ts'
import { replaceFile } from './managed-file.ts'
import { type Paths, pathsBelow } from './paths.ts'
import { createCron } from './cron/cron.ts'
import { cronOperations } from './cron/operations.ts'
import { openCronStore } from './cron/store.ts'
import { createPhpService, proofDirectory } from './php/fpm.ts'
import { allPids, pidsWithEnvironment, signal, title, waitUntil } from './processes.ts'
import { openRegistry } from './registry.ts'
import { startServices, type Services } from './services/embedded.ts'
import { startInstalledServices } from './services/installed.ts'
import { timerOperations } from './services/timer-operations.ts'
import { runTimerLogged, timers } from './services/timers.ts'
import { siteOperations } from './sites/operations.ts'
import { systemOperations } from './system/operations.ts'
import { createWebServer } from './web-server/nginx.ts'

/** `ready` is called once the socket answers. */
export async function runAgent(env: NodeJS.ProcessEnv, ready: () => void = () => {}): Promise<void> {
  process.umask(0o022)
  const config = readConfig(env)
  const paths = pathsBelow(config.root)
  await endLeftCommands(paths)
  await using agent = await startAgent(config, paths)
  await using _listener = await listen(paths, agent.operations)
  log('agent listens', { socket: paths.agentSocket })
  ready()
  void prepareCms(agent.context) // logs its own failures
  await isAskedToEnd()
  log('agent stops')
}

/**
 * The handlers stay: the kernel signals anew for every thread of a host that is killed, and a second signal must not
 * cut short what the first one began.
 */
function isAskedToEnd(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
  return promise
}

interface RunningAgent extends AsyncDisposable {
  context: AgentContext
  operations: BoundOperation[]
}

async function startAgent(config: AgentConfig, paths: Paths): Promise<RunningAgent> {
  makeStateDirectories(paths)
  const registry = openRegistry(paths.registry)
  const redisPassword = ownSecret(join(paths.agentState, 'redis-password'))
  installCmsParts(config.cmsParts, paths.cmsParts)
  // The one place that knows which of the two data planes this is.
  const start = config.root === '/' ? startInstalledServices : startServices
  const services = await start({ config, paths, registry, redisPassword, log })
  const cronStore = openCronStore(paths.cronStore)
  const cron = createCron({ paths, registry, store: cronStore, httpsPort: config.httpsPort, log })
  const context: AgentContext = {
    config,
    cron,
    sftp: services.sftp,
    paths,
    registry,
    log,
    redisPassword,
    webServer: createWebServer(paths, registry, services.nginx),
    nginxFeatures: services.nginxFeatures,
    ports: services.ports,
    php: new Map([...services.fpm].map(([version, fpm]) => [version, createPhpService(paths, version, fpm)])),
    siteLock: createKeyedLock(),
    hostLock: createKeyedLock(),
  }
  await reloadAdopted(context, services)
  cron.start()
  await resumeAccess(context).catch((error: unknown) =>
    log('SFTP is not served', { error: describeError(error) }),
  )
  await services.keepTime(timers, (name) => runTimerLogged(context, name))
  return {
    context,
    operations: [
      ...siteOperations(context),
      ...systemOperations(context),
      ...driftOperations(context),
      ...auditOperations(context),
      ...timerOperations(context),
      ...certificateOperations(context),
      ...cacheOperations(context),
      ...logOperations(context, services.logs),
      ...cronOperations(context),
      ...accessOperations(context),
    ],
    async [Symbol.asyncDispose]() {
      await cron[Symbol.asyncDispose]()
      cronStore.close()
      await services.stop()
      registry.close()
    },
  }
}

// What a killed agent wrote but did not reload yet is on disk; a service that ran on must read it.
async function reloadAdopted(context: AgentContext, services: Services): Promise<void> {
  if (!services.wereRunning) return
  await Promise.all([context.webServer.reload(), ...[...context.php.values()].map((php) => php.reload())])
}

async function listen(paths: Paths, bound: readonly BoundOperation[]): Promise<AsyncDisposable> {
  const handled = bound.map(({ definition }) => definition.name).sort()
  const listed = operations.map(({ name }) => name).sort()
  if (handled.join() !== listed.join()) {
    throw new Error(`the agent handles ${handled.join(', ')}, but the contract lists ${listed.join(', ')}`)
  }
  if (existsSync(paths.agentSocket)) unlinkSync(paths.agentSocket)
  const server = createDispatcher(bound, log)
  // 0600 from the start: nobody connects before owner and group are right.
  process.umask(0o177)
  server.listen(paths.agentSocket)
  await once(server, 'listening')
  process.umask(0o022)
  chownSync(paths.agentSocket, 0, groupId('reeve'))
  chmodSync(paths.agentSocket, 0o660)
  return {
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function makeStateDirectories(paths: Paths): void {
  const reeve = groupId('reeve')
  const directories: [path: string, mode: number, gid?: number][] = [
    [paths.run, 0o750, reeve],
    [paths.agentState, 0o700],
    [paths.acmeChallenges, 0o755],
    [paths.sites, 0o711],
    [paths.trash, 0o700],
    [paths.logs, 0o711],
    [paths.cores, 0o755],
    [paths.cmsParts, 0o755],
    [paths.tls, 0o700],
    [paths.fpmSockets, 0o755],
  ]
  for (const [path, mode, gid] of directories) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, mode)
    if (gid !== undefined) chownSync(path, 0, gid)
  }
}

/** A secret of this installation: made once, readable by root only. */
function ownSecret(path: string): string {
  if (!existsSync(path)) replaceFile(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
  return readFileSync(path, 'utf8').trim()
}

// Commands of an agent that was killed: short ones may finish, then they are ended. PHP-FPM writes its title over
// its environment, so masters that were proving a pool are found by the title.
async function endLeftCommands(paths: Paths): Promise<void> {
  const proofs = () => allPids().filter((pid) => title(pid).includes(`(${proofDirectory(paths)}/`))
  for (const pid of proofs()) signal(-pid, 'SIGKILL')
  const left = () => [...pidsWithEnvironment(commandMarker, paths.root), ...proofs()]
  if (await waitUntil(() => left().length === 0, 2000, 50)) return
  for (const pid of left()) signal(pid, 'SIGKILL')
  await waitUntil(() => left().length === 0, 2000, 50)
}
