// V8 collects when it allocates. A server that has gone quiet allocates nothing, so what its start or its last busy
// minute left behind would stay for days. Two of these processes share small servers with sites.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyMs = 5000
/** Less than 2 % of one core is what timers and health checks cost. */
const quietShare = 0.02
const worthBytes = 1024 * 1024

/** Gives memory back to the system, once, whenever the process has had nothing to do for a few seconds. */
export function releaseMemoryWhenIdle(): void {
  const collect = collector()
  let usage = process.cpuUsage()
  let kept = 0
  setInterval(() => {
    const spent = process.cpuUsage(usage)
    usage = process.cpuUsage()
    const isQuiet = (spent.user + spent.system) / 1000 < everyMs * quietShare
    if (!isQuiet || process.memoryUsage().heapUsed < kept + worthBytes) return
    collect()
    kept = process.memoryUsage().heapUsed
    usage = process.cpuUsage()
  }, everyMs).unref()
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void

/** V8's own function, which it shows only to contexts made while the flag is set. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  // The extension that the flag loads declares this function (V8, src/extensions/gc-extension.h).
  const gc = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return () => gc({ type: 'major', flavor: 'last-resort' })
}
