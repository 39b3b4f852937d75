// A service as a unit of systemd: systemd starts it at boot and brings it back, so it serves on without the agent.
import { readFileSync, statSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import { run } from '../command.ts'
import { allPids, childrenOf, signal, startTime, waitUntil } from '../processes.ts'
import type { Service } from './service.ts'

export interface UnitOptions {
  /** Without `.service`. */
  unit: string
  /** Whether it answers its clients. */
  isReady: () => Promise<boolean>
  readyTimeoutMs: number
}

export function systemdService({ unit, isReady, readyTimeoutMs }: UnitOptions): Service {
  let known: { pid: number; started: string } | undefined

  const mainPid = () => {
    if (known && startTime(known.pid) === known.started) return known.pid
    const pid = mainProcessOf(unit)
    const started = pid === undefined ? undefined : startTime(pid)
    known = pid !== undefined && started !== undefined ? { pid, started } : undefined
    return known?.pid
  }

  const ensureRunning = async () => {
    await systemctl('start', `${unit}.service`).catch((error: unknown) => {
      throw notStarted(unit, error)
    })
    if (await waitUntil(isReady, readyTimeoutMs, 20)) return
    throw notStarted(unit)
  }

  return {
    name: unit,
    ensureRunning,
    mainPid,
    signal: (name) => {
      const pid = mainPid()
      if (pid !== undefined) signal(pid, name)
    },
    stop: () => systemctl('stop', `${unit}.service`),
  }
}

export async function systemctl(...args: string[]): Promise<void> {
  await run('systemctl', args, { timeoutMs: 120_000 })
}

/** Whether one of the files was written after the unit came up: an agent that was killed may not have told it. */
export async function isOlderThan(unit: string, files: readonly string[]): Promise<boolean> {
  const { stdout } = await run(
    'systemctl',
    ['show', `${unit}.service`, '--timestamp=unix', '--property=ActiveEnterTimestamp', '--value'],
    { timeoutMs: 10_000 },
  )
  const since = Number(/^@(\d+)/.exec(stdout)?.[1] ?? 0)
  return files.some((path) => Math.floor(statSync(path).mtimeMs / 1000) > since)
}

// Asked at every reload, and from code that cannot wait: so from the kernel, not from systemd. The unit's own
// start and stop commands are short and are gone when it matters.
function mainProcessOf(unit: string): number | undefined {
  const members = allPids().filter((pid) => isMember(pid, unit))
  return members.find((pid) => !members.some((other) => childrenOf(other).includes(pid)))
}

function isMember(pid: number, unit: string): boolean {
  try {
    // One line a hierarchy, "0::/system.slice/nginx.service" (cgroups(7)); the leading path differs in containers.
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8')
      .split('\n')
      .some((line) => line.endsWith(`/${unit}.service`))
  } catch {
    return false
  }
}

function notStarted(unit: string, cause?: unknown): AppError {
  return new AppError(
    'internal',
    `${unit} did not start; its own words are in "journalctl -u ${unit}".`,
    {},
    cause,
  )
}

/** One word of a command line in a unit file (systemd.service(5), "Command lines"). */
export function unitWord(word: string): string {
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$')
  return `"${escaped}"`
}
