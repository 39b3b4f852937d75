// A throw-away Debian server with a systemd of its own, in a folder of this host.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './execute.ts'

export interface Server extends AsyncDisposable {
  root: string
  address: string
  /** Runs a script of bash as a unit of the server's systemd, and answers its standard output. */
  run(script: string, timeoutMs?: number): Promise<string>
  reboot(): Promise<void>
}

export interface ServerOptions {
  root: string
  /** Unique on this host. */
  name: string
  address: string
  bridge: string
}

export async function bootServer({ root, name, address, bridge }: ServerOptions): Promise<Server> {
  const consolePath = `${root}.console.log`
  const console = openSync(consolePath, 'a')
  // The kernel tells the supervisor when this process dies without a chance to.
  const supervisor = spawn(
    '/usr/bin/setpriv',
    [
      ...['--pdeathsig', 'TERM', '--', 'unshare', '--mount'],
      ...['bash', join(import.meta.dirname, 'boot.sh'), root, name, bridge],
    ],
    { stdio: ['ignore', console, console] },
  )
  closeSync(console)
  const pid = supervisor.pid
  if (pid === undefined) throw new Error(`The supervisor of ${name} did not start.`)
  const ended = once(supervisor, 'exit')
  const isUp = () => supervisor.exitCode === null && supervisor.signalCode === null
  const server: Server = {
    root,
    address,
    run: (script, timeoutMs) => runInside(initOf(pid), script, timeoutMs),
    async reboot() {
      const before = initOf(pid)
      await runInside(before, 'systemctl --no-block reboot')
      await untilRunning(() => initOf(pid, before), isUp, consolePath)
    },
    async [Symbol.asyncDispose]() {
      supervisor.kill('SIGTERM')
      await ended
    },
  }
  try {
    await untilRunning(() => initOf(pid), isUp, consolePath)
    return server
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
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

async function untilRunning(findInit: () => number, isUp: () => boolean, consolePath: string): Promise<void> {
  const deadline = Date.now() + 60_000
  for (let last = ''; ; ) {
    try {
      last = await execute('nsenter', inside(findInit(), ['systemctl', 'is-system-running'])).catch(
        (error: unknown) => String(error), // also the way it says "degraded"
      )
      if (/^running$/m.test(last)) return
    } catch (error) {
      last = String(error)
    }
    if (!isUp() || Date.now() > deadline) {
      const said = existsSync(consolePath) ? readFileSync(consolePath, 'utf8').slice(-3000) : ''
      throw new Error(`The server did not come up: ${last}\nIts console:\n${said}`)
    }
    await new Promise((done) => setTimeout(done, 100))
  }
}
