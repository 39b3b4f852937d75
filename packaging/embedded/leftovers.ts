// Finds the processes that belong to one root prefix, so that a start never meets those of a killed run and a
// stop can prove that it left none. Evidence is read from /proc (proc(5)); a person's editor or `tail` on a file
// below the root is never taken for one of ours.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface Leftover {
  pid: number
  /** Start time in clock ticks: with the pid it names the process for good. */
  started: string
  title: string
}

const ourPrograms =
  /^(node|nginx|php(-fpm)?[\d.]*|mariadbd|redis-(server|check-rdb)|valkey-(server|check-rdb)|bwrap)$/
/** System users of sites come from this range. */
const siteUids = { first: 20_000, last: 59_999 }

export function findLeftovers(root: string): Leftover[] {
  const sockets = socketsBelow(root)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => examine(root, Number(name), sockets) ?? [])
}

function examine(root: string, pid: number, sockets: ReadonlySet<string>): Leftover | undefined {
  const started = startTime(pid)
  if (started === undefined) return undefined
  if (!mayBeOurs(root, pid) || !isTiedTo(root, pid, sockets)) return undefined
  return { pid, started, title: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }
}

function mayBeOurs(root: string, pid: number): boolean {
  const uid = Number(/^Uid:\s+(\d+)/m.exec(read(pid, 'status'))?.[1])
  if (uid >= siteUids.first && uid <= siteUids.last) return true
  const program = link(pid, 'exe').replace(/ \(deleted\)$/, '')
  // Any node may be run by anyone; ours is the copy below the root.
  if (basename(program) === 'node') return program === join(root, 'usr/lib/reeve/node')
  return (
    ourPrograms.test(basename(program)) ||
    read(pid, 'environ').split('\0').includes(`REEVE_COMMAND_OF=${root}`)
  )
}

function isTiedTo(root: string, pid: number, sockets: ReadonlySet<string>): boolean {
  const isBelow = (path: string) => path === root || path.startsWith(`${root}/`)
  const title = read(pid, 'cmdline')
  if (title.includes(`${root}/`) || isBelow(link(pid, 'cwd')) || isBelow(link(pid, 'root'))) return true
  return openFiles(pid).some((target) => isBelow(target) || sockets.has(target))
}

/** Unix sockets bound below the root, in the form in which /proc/<pid>/fd shows them. */
function socketsBelow(root: string): Set<string> {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
  const bound = lines.map((line) => /^\S+ \S+ \S+ \S+ \S+ \S+ +(\d+) (.+)$/.exec(line))
  return new Set(
    bound.filter((match) => match?.[2]?.startsWith(`${root}/`)).map((match) => `socket:[${match?.[1]}]`),
  )
}

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => link(pid, `fd/${fd}`))
  } catch {
    return []
  }
}

/** Undefined when the process is gone or only waits to be reaped. */
export function startTime(pid: number): string | undefined {
  const stat = read(pid, 'stat')
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' || state === 'Z' || state === 'X' ? undefined : fields[18]
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function link(pid: number, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`)
  } catch {
    return ''
  }
}

/** Ends what is left: asked first, so that MariaDB can close its files, then killed. Returns what it found. */
export async function endLeftovers(root: string, graceMs: number): Promise<Leftover[]> {
  const found = findLeftovers(root)
  for (const leftover of found) signalIfSame(leftover, 'SIGTERM')
  const end = Date.now() + graceMs
  while (Date.now() < end && findLeftovers(root).length > 0) await delay(50)
  for (let attempt = 0; attempt < 20; attempt++) {
    const left = findLeftovers(root)
    if (left.length === 0) return found
    for (const leftover of left) signalIfSame(leftover, 'SIGKILL')
    await delay(50)
  }
  const names = findLeftovers(root).map(({ pid, title }) => `${pid} (${title})`)
  throw new Error(`These processes of ${root} cannot be ended: ${names.join(', ')}.`)
}

function signalIfSame(leftover: Leftover, signal: NodeJS.Signals): void {
  if (startTime(leftover.pid) !== leftover.started) return
  try {
    process.kill(leftover.pid, signal)
  } catch {
    // It ended by itself in between.
  }
}

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
