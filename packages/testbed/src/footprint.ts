// What an installation costs a server, beside what a peer publishes.
import { readFileSync } from 'node:fs'
import type { Server } from '../lab/server.ts'

/** The best that a peer publishes, on Ubuntu 24.04. */
const peer = '79 s, 670 MB of disk, 93 MB of memory, 8 services'

/** In MB, of all processes; each with its share of what several use. */
export function memoryUsed(server: Server): number {
  const kilobytes = server.processes().map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0 // It has just ended.
    }
  })
  return Math.round(kilobytes.reduce((sum, value) => sum + value, 0) / 1024)
}

/** `said` is what the installer printed. */
export async function describeFootprint(server: Server, said: string, memoryBefore: number): Promise<string> {
  const figures = /Installed in ([\d.]+ s)\. Added: (-?\d+ MB of disk), .* (-?\d+ services)\./.exec(said)
  if (!figures) throw new Error(`The installer printed no figures:\n${said}`)
  const [, seconds, disk, services] = figures
  // What the agent prepares after its start has ended.
  await server.run('while pgrep -x bwrap >/dev/null; do sleep 0.2; done', 180_000)
  const memory = `${memoryUsed(server) - memoryBefore} MB of memory at rest`
  return `${seconds}, ${disk}, ${memory}, ${services}; a peer: ${peer}`
}
