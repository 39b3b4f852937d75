// The two things a script does: run a tool and wait for an answer.
import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 5
const giveUpMs = 20_000

/** Asks every 5 ms; `what` is named when it takes too long. */
export async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + giveUpMs; !(await isDone()); await delay(pollMs)) {
    if (performance.now() > end) throw new Error(`${what} did not answer within ${giveUpMs} ms.`)
  }
}

/** Runs a program to its end and returns what it printed; any failure throws. */
export function tool(
  program: string,
  args: readonly string[],
  input = '',
  env: Record<string, string> = {},
): string {
  const path = '/usr/sbin:/usr/bin:/sbin:/bin'
  const { status, stdout, stderr } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    env: { PATH: path, LANG: 'C.UTF-8', ...env },
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`)
  return stdout
}
