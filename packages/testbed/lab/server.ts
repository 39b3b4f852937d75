// A throw-away Debian server with a systemd of its own, on a disk that is a file of this host.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './execute.ts'

export interface Server extends AsyncDisposable {
  address: string
  /** Its files as this host sees them while it is up; another path after each boot. */
  readonly root: string
  /** Its processes, with the numbers that this host knows them by. */
  processes(): number[]
  /** Runs a script of bash as a unit of the server's systemd, and answers its standard output. */
  run(script: string, timeoutMs?: number): Promise<string>
  /** A program beside systemd's units, as this user, for what need not be one: arguments to start it from here. */
  enter(uid: number): string[]
  reboot(): Promise<void>
  /** What was written and not synced is lost. Resolves when the disk may be used again. */
  cutPower(): Promise<void>
  /** Boots the same disk, after a power cut. */
  boot(): Promise<void>
}

export interface ServerOptions {
  disk: string
  /** Unique on this host. */
  name: string
  address: string
  bridge: string
}

export async function bootServer(options: ServerOptions): Promise<Server> {
  let power = await switchOn(options)
  return {
    address: options.address,
    get root() {
      return `/proc/${initOf(power.pid)}/root`
    },
    processes: () => descendants(initOf(power.pid)),
    run: (script, timeoutMs) => runInside(initOf(power.pid), script, timeoutMs),
    enter: (uid) => {
      const identity = [`--setuid=${uid}`, `--setgid=${uid}`]
      return ['nsenter', '-t', String(initOf(power.pid)), '-m', '-u', '-i', '-n', '-p', ...identity, '--']
    },
    async reboot() {
      const before = initOf(power.pid)
      await runInside(before, 'systemctl --no-block reboot')
      await untilRunning(() => initOf(power.pid, before), power)
    },
    cutPower: () => power.off('SIGUSR1'),
    async boot() {
      power = await switchOn(options)
    },
    [Symbol.asyncDispose]: () => power.off('SIGTERM'),
  }
}

interface Power {
  /** Of the supervisor. */
  pid: number
  isOn(): boolean
  off(signal: 'SIGTERM' | 'SIGUSR1'): Promise<void>
  consolePath: string
}

async function switchOn({ disk, name, bridge }: ServerOptions): Promise<Power> {
  const consolePath = `${disk}.console.log`
  const folder = `${disk}.root`
  mkdirSync(folder, { recursive: true })
  const console = openSync(consolePath, 'a')
  // The kernel tells the supervisor when this process dies without a chance to.
  const supervisor = spawn(
    '/usr/bin/setpriv',
    [
      ...['--pdeathsig', 'TERM', '--', 'unshare', '--mount'],
      ...['bash', join(import.meta.dirname, 'boot.sh'), disk, folder, name, bridge],
    ],
    { stdio: ['ignore', console, console] },
  )
  closeSync(console)
  const { pid } = supervisor
  if (pid === undefined) throw new Error(`The supervisor of ${name} did not start.`)
  const ended = once(supervisor, 'exit')
  const power: Power = {
    pid,
    consolePath,
    isOn: () => supervisor.exitCode === null && supervisor.signalCode === null,
    async off(signal) {
      supervisor.kill(signal)
      await ended
      await untilReleased(disk)
      if (supervisor.exitCode !== 0) throw new Error(`${name} did not end as told:${lastWords(consolePath)}`)
    },
  }
  try {
    await untilRunning(() => initOf(pid), power)
    return power
  } catch (error) {
    await power.off('SIGTERM')
    throw error
  }
}

/** The kernel lets go of a disk when the last process that saw it mounted has ended. */
async function untilReleased(disk: string): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const users = await execute('losetup', ['--noheadings', '--output', 'NAME', '--associated', disk])
    if (users.trim() === '') return
    if (Date.now() > deadline) throw new Error(`${disk} is still in use by ${users.trim()}.`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** The server's first process as this host sees it; `unlike` is one that is about to end. */
function initOf(supervisor: number, unlike?: number): number {
  const found = descendants(supervisor).find((pid) => {
    const status = readIfExists(`/proc/${pid}/status`)
    return pid !== unlike && /^NSpid:\s.*\s1$/m.test(status)
  })
  if (found === undefined) throw new Error('The server does not run.')
  return found
}

function descendants(pid: number): number[] {
  const children = readIfExists(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const clean = ['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root']

function inside(init: number, command: readonly string[]): string[] {
  return ['-t', String(init), '-m', '-u', '-i', '-n', '-p', '-C', '--', ...clean, ...command]
}

function runInside(init: number, script: string, timeoutMs = 60_000): Promise<string> {
  // As input, not as an argument: systemd expands `$` and `%` in those.
  const unit = ['systemd-run', '--quiet', '--wait', '--collect', '--pipe', '--setenv=HOME=/root']
  return execute('nsenter', inside(init, [...unit, '--', '/bin/bash', '-euo', 'pipefail', '-s']), {
    input: script,
    timeoutMs,
  })
}

async function untilRunning(findInit: () => number, { isOn, consolePath }: Power): Promise<void> {
  const deadline = Date.now() + 90_000
  for (let last = ''; ; ) {
    try {
      last = await execute('nsenter', inside(findInit(), ['systemctl', 'is-system-running'])).catch(
        (error: unknown) => String(error), // also the way it says "degraded"
      )
      if (/^running$/m.test(last)) return
    } catch (error) {
      last = String(error)
    }
    if (!isOn() || Date.now() > deadline) {
      throw new Error(`The server did not come up: ${last}${lastWords(consolePath)}`)
    }
    await new Promise((done) => setTimeout(done, 100))
  }
}

const lastWords = (consolePath: string) => `\nIts console:\n${readIfExists(consolePath).slice(-3000)}`
