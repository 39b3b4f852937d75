import { spawn } from 'node:child_process'

export interface ExecuteOptions {
  input?: string
  timeoutMs?: number
}

/** Runs a program and answers its standard output; throws with all it said unless it succeeds. */
export function execute(
  program: string,
  args: readonly string[],
  { input = '', timeoutMs = 60_000 }: ExecuteOptions = {},
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(program, args, { timeout: timeoutMs, killSignal: 'SIGKILL' })
  let stdout = ''
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    said += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  child.stdin.on('error', () => {
    // It ended without reading; its exit code tells the rest.
  })
  child.once('error', reject)
  child.once('close', (code, signal) => {
    if (code === 0) return resolve(stdout)
    const how = signal ?? `exit code ${code}`
    reject(new Error(`${program} ${args.join(' ')} failed (${how}):\n${said.slice(-4000)}`))
  })
  child.stdin.end(input)
  return promise
}
