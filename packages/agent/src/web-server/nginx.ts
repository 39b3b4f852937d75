// nginx as the agent sees it: change configuration, reload, and prove that the new configuration is served.
import { request } from 'node:http'
import { AppError } from '@reeve/contract/errors.ts'
import { type ConfigChange, createConfigBatch } from '../config-batch.ts'
import { markLog } from '../log-mark.ts'
import { writeManagedFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { childrenOf, signal, title, waitUntil } from '../processes.ts'
import type { Registry } from '../registry.ts'
import type { Service } from '../services/service.ts'
import { renderGeneration } from './render-nginx.ts'

export interface WebServer {
  /** Writes, reloads and verifies; the old bytes are back when nginx does not take the new ones. */
  change(change: ConfigChange): Promise<boolean>
  /** Reloads without a change, so that what is on disk is what is served. */
  reload(): Promise<void>
  /** Waits until no worker serves an earlier configuration any more, but not for ever: a WebSocket may stay for days. */
  drained(): Promise<void>
}

export function createWebServer(paths: Paths, registry: Registry, service: Service): WebServer {
  const reload = async () => {
    const generation = registry.nextOf('nginx generation')
    writeManagedFile(registry, {
      path: `${paths.nginxConfD}/reeve-generation.conf`,
      text: renderGeneration(paths, generation),
      mode: 0o644,
      renderer: 'web-server/generation',
      siteId: null,
    })
    await reloadTo(paths, service, generation)
  }
  return { change: createConfigBatch(reload), reload, drained: () => drained(service) }
}

/**
 * A successful `nginx -s reload` proves nothing: nginx keeps the old configuration when it cannot apply the
 * new one. So there must be new workers, the old ones must have stopped listening, and the generation must answer.
 */
async function reloadTo(paths: Paths, service: Service, generation: number): Promise<void> {
  const master = service.mainPid()
  if (master === undefined) {
    await service.ensureRunning()
    return
  }
  const appended = markLog(paths.nginxErrorLog)
  const isRefused = () => emergencyIn(appended()) !== undefined
  const before = childrenOf(master)
  service.signal('SIGHUP')
  const hasBegun = await waitUntil(() => isRefused() || hasNewWorkers(master, before), 10_000)
  if (hasBegun && !isRefused()) await retireWorkers(before)
  const isServed = await waitUntil(
    async () => isRefused() || (await servedGeneration(paths)) === generation,
    hasBegun ? 10_000 : 0,
  )
  if (isServed && !isRefused()) return
  throw new AppError(
    'refused',
    `nginx refused the configuration: ${emergencyIn(appended()) ?? 'it still serves the old one.'}`,
  )
}

const isWorker = (pid: number) => title(pid).endsWith('nginx: worker process')

/** Whether they listen: a child has its master's title until it is ready. */
function hasNewWorkers(master: number, before: readonly number[]): boolean {
  const added = childrenOf(master).filter((pid) => !before.includes(pid))
  return added.some(isWorker) && !added.some((pid) => title(pid).includes('nginx: master process'))
}

/**
 * nginx itself lets 100 ms pass before it ends the old workers, and until then they take all new connections. It
 * keeps the signals of its children for later while it waits, so a worker that we end is not started again.
 */
async function retireWorkers(pids: readonly number[]): Promise<void> {
  for (const pid of pids.filter(isWorker)) signal(pid, 'SIGQUIT')
  await waitUntil(() => !pids.some(isWorker), 10_000, 5)
}

async function drained(service: Service): Promise<void> {
  const master = service.mainPid()
  if (master === undefined) return
  await waitUntil(
    () => !childrenOf(master).some((pid) => title(pid).endsWith('is shutting down')),
    30_000,
    20,
  )
}

/** The generation that the workers serve, or undefined while none answers. */
export function servedGeneration(paths: Paths): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const call = request(
    { socketPath: paths.nginxStatusSocket, path: '/', timeout: 1000, agent: false },
    (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve(Number(body.trim()) || undefined))
    },
  )
  call.on('error', () => resolve(undefined))
  call.on('timeout', () => call.destroy())
  call.end()
  return promise
}

function emergencyIn(text: string): string | undefined {
  const line = text.split('\n').find((entry) => entry.includes('[emerg]'))
  return line?.replace(/^.*\[emerg\] [0-9#]+: /, '')
}
