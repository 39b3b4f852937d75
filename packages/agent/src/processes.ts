// Facts about processes, read from /proc (proc(5)).
import { readdirSync, readFileSync } from 'node:fs'

/** Start time in clock ticks since boot; with the pid it names a process for good. */
export function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number)
  } catch {
    return []
  }
}

/** The process title: arguments joined by spaces, or '' when it is gone. */
export function title(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

export function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

/** Pids whose real uid is this one, without those that have ended and wait to be noticed by their parent. */
export function pidsOfUser(uid: number): number[] {
  return allPids().filter((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === uid && !/^State:\s+Z/m.test(status)
    } catch {
      return false
    }
  })
}

/** Pids that carry `name=value` in the environment they were started with. */
export function pidsWithEnvironment(name: string, value: string): number[] {
  const wanted = `${name}=${value}`
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(wanted)
    } catch {
      return false
    }
  })
}

/** Sends the signal; a process that is gone is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}

/** Polls until `isDone` or the deadline; tells which. */
export async function waitUntil(
  isDone: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 10,
): Promise<boolean> {
  const end = Date.now() + timeoutMs
  for (;;) {
    if (await isDone()) return true
    if (Date.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
