// A program that runs only as long as its holder: `await using` ends its whole process group.
import { spawn } from 'node:child_process'
import { commandMarker } from '../command.ts'
import { signal } from '../processes.ts'

export interface TemporaryProcess extends AsyncDisposable {
  hasEnded(): boolean
  /** What it wrote to standard error so far. */
  errors(): string
}

export function startTemporary(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): TemporaryProcess {
  const child = spawn(program, args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'C.UTF-8',
      [commandMarker]: process.env['REEVE_ROOT'] ?? '/',
      ...env,
    },
  })
  let ended = false
  let errors = ''
  const closed = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      errors += error.message
      ended = true
      resolve()
    })
    child.once('close', () => {
      ended = true
      resolve()
    })
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (errors.length < 64 * 1024) errors += chunk
  })
  return {
    hasEnded: () => ended,
    errors: () => errors,
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined && !ended) signal(-child.pid, 'SIGKILL')
      await closed
    },
  }
}
