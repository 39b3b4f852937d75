// A service as a child that outlives its parent: a killed agent takes no site down, and the next agent finds
// the process by pid and start time and goes on watching it.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { Log } from '../log.ts'
import { replaceFile } from '../managed-file.ts'
import { allPids, childrenOf, signal, startTime, title, waitUntil } from '../processes.ts'
import type { Service } from './service.ts'

export interface SupervisedOptions {
  name: string
  /** Absolute path of the program. */
  program: string
  args: readonly string[]
  /** A path that stands in the title of its main process and of no other service's. */
  identity: string
  env?: Readonly<Record<string, string>>
  /** Standard output and error are appended here. */
  logPath: string
  /** Directory for the record of the running process. */
  runDirectory: string
  /** Sockets that a killed process leaves behind and that its successor cannot bind again. */
  staleSockets?: readonly string[]
  /** Whether it answers its clients. */
  isReady: () => Promise<boolean>
  readyTimeoutMs: number
  stopSignal: NodeJS.Signals
  log: Log
}

const watchEveryMs = 500

export function superviseService(options: SupervisedOptions): Service {
  const record = join(options.runDirectory, `${options.name}.pid`)
  let watcher: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined
  let failures = 0

  const mainPid = () => {
    const recorded = recordedProcess(record)
    return recorded?.isAlive ? recorded.pid : undefined
  }

  const start = async () => {
    if (mainPid() === undefined && !adopt(options, record)) {
      await endOrphans(options, record)
      launch(options, record)
    }
    const isUp = await waitUntil(
      async () => mainPid() === undefined || (await options.isReady()),
      options.readyTimeoutMs,
    )
    if (!isUp || mainPid() === undefined) {
      throw new AppError(
        'internal',
        `${options.name} did not start; its own words are in ${options.logPath}.`,
        {
          log: lastLines(options.logPath),
        },
      )
    }
    failures = 0
  }

  const ensureRunning = () => {
    starting ??= start().finally(() => {
      starting = undefined
    })
    watcher ??= setInterval(() => {
      if (mainPid() !== undefined || starting) return
      failures++
      if (failures > 3 && failures % 10 !== 0) return // back off: every 5 s
      options.log('service died, starting it again', { service: options.name })
      ensureRunning().catch((error: unknown) =>
        options.log('service does not start', { error: String(error) }),
      )
    }, watchEveryMs)
    return starting
  }

  const stop = async () => {
    clearInterval(watcher)
    watcher = undefined
    const pid = mainPid()
    if (pid === undefined) return
    signal(pid, options.stopSignal)
    if (await waitUntil(() => mainPid() === undefined, 10_000)) return
    options.log('service did not stop in time, killing it', { service: options.name })
    signal(-pid, 'SIGKILL')
    await waitUntil(() => mainPid() === undefined, 2000)
  }

  return {
    name: options.name,
    ensureRunning,
    mainPid,
    signal: (name) => {
      const pid = mainPid()
      if (pid !== undefined) signal(pid, name)
    },
    stop,
  }
}

/** Takes over a process that was started just before the agent died, before its pid was recorded. */
function adopt(options: SupervisedOptions, record: string): boolean {
  const candidates = allPids().filter((pid) => title(pid).includes(options.identity))
  const main = candidates.find((pid) => !candidates.some((other) => childrenOf(other).includes(pid)))
  if (main === undefined) return false
  options.log('service runs already', { service: options.name, pid: main })
  replaceFile(record, `${main} ${startTime(main) ?? ''}\n`, { mode: 0o644 })
  return true
}

function launch(options: SupervisedOptions, record: string): void {
  for (const socket of options.staleSockets ?? []) if (existsSync(socket)) unlinkSync(socket)
  mkdirSync(dirname(options.logPath), { recursive: true, mode: 0o755 })
  const output = openSync(options.logPath, 'a', 0o640)
  const child = spawn(options.program, options.args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', output, output],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', ...options.env },
  })
  closeSync(output)
  child.on('error', (error) =>
    options.log('service cannot be started', { service: options.name, error: error.message }),
  )
  child.unref()
  if (child.pid === undefined) return
  replaceFile(record, `${child.pid} ${startTime(child.pid) ?? ''}\n`, { mode: 0o644 })
}

function recordedProcess(record: string): { pid: number; isAlive: boolean } | undefined {
  if (!existsSync(record)) return undefined
  const [pidText, started] = readFileSync(record, 'utf8').trim().split(' ')
  const pid = Number(pidText)
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  return { pid, isAlive: started !== undefined && startTime(pid) === started }
}

/**
 * Children of a main process that was killed: they serve on, but hold the ports that its successor needs. The
 * kernel gives no new process the number of a group that has members, so the group can only be theirs.
 */
async function endOrphans(options: SupervisedOptions, record: string): Promise<void> {
  const recorded = recordedProcess(record)
  if (!recorded || recorded.isAlive || startTime(recorded.pid) !== undefined) return
  signal(-recorded.pid, options.stopSignal)
  if (await waitUntil(() => !hasGroup(recorded.pid), 1000)) return
  signal(-recorded.pid, 'SIGKILL')
}

function hasGroup(id: number): boolean {
  try {
    return process.kill(-id, 0)
  } catch {
    return false
  }
}

function lastLines(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-5).join('\n') : ''
}
