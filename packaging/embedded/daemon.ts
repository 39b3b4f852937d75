// One of our two processes: started again when it dies, its lines kept in a file and shown with a prefix.
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface DaemonOptions {
  name: string
  /** Program and arguments. */
  command: readonly [string, ...string[]]
  env: Readonly<Record<string, string>>
  logPath: string
  say: (line: string) => void
}

export interface Daemon {
  /** How often it ended without being asked to. */
  deaths(): number
  /** Asks it to end, kills it after the deadline, and returns when it is gone. */
  stop(timeoutMs: number): Promise<void>
  kill(): void
}

const backoffMs = { first: 200, last: 5000, forgetAfter: 30_000 }
const maxLogBytes = 10 * 1024 * 1024

export function startDaemon(options: DaemonOptions): Daemon {
  let child: ChildProcess | undefined
  let waiting: NodeJS.Timeout | undefined
  let backoff = backoffMs.first
  let deaths = 0
  let isStopping = false
  const gone = Promise.withResolvers<void>()

  const launch = () => {
    const startedAt = Date.now()
    child = spawnLogged(options)
    const ended = once((how: string) => {
      child = undefined
      if (isStopping) return gone.resolve()
      deaths++
      if (Date.now() - startedAt > backoffMs.forgetAfter) backoff = backoffMs.first
      options.say(`${options.name} ended (${how}); it starts again in ${backoff / 1000} s.`)
      waiting = setTimeout(launch, backoff)
      backoff = Math.min(backoff * 2, backoffMs.last)
    })
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
    child.once('error', (error) => ended(error.message))
  }
  launch()

  return {
    deaths: () => deaths,
    kill: () => child?.kill('SIGKILL'),
    async stop(timeoutMs) {
      isStopping = true
      clearTimeout(waiting)
      if (!child) return
      child.kill('SIGTERM')
      const deadline = setTimeout(() => {
        options.say(`${options.name} did not end within ${timeoutMs / 1000} s and is killed.`)
        child?.kill('SIGKILL')
      }, timeoutMs)
      await gone.promise
      clearTimeout(deadline)
    },
  }
}

function spawnLogged({ name, command: [program, ...args], env, logPath, say }: DaemonOptions): ChildProcess {
  rotate(logPath)
  const child = spawn(program, args, {
    cwd: '/',
    env,
    // A session of its own: Ctrl-C reaches only the host, which ends the two in the right order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      appendFileSync(logPath, `${new Date().toISOString()} ${line}\n`, { mode: 0o640 })
      say(`${name.padEnd(5)} │ ${line}`)
    })
  }
  return child
}

function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(path, `${path}.1`)
}

function once(callback: (how: string) => void): (how: string) => void {
  let isDone = false
  return (how) => {
    if (isDone) return
    isDone = true
    callback(how)
  }
}
