// Several operators at once on one server, doing what comes to their mind; in the second half of the day its processes
// are killed as well.
import { randomInt } from 'node:crypto'
import type { Host } from '../host.ts'
import { type Panel, wordpressFields } from '../panel.ts'
import { watchSite } from '../visitor.ts'
import { type Day, operate } from './actions.ts'
import { createClient, createNotes, type Notes } from './notes.ts'
import { judge } from './verdict.ts'

const operators = 3
const bystander = 'bystander.example.com'
const victims = ['agent', 'agent', 'api', 'nginx', 'php', 'mariadb', 'redis'] as const

export interface Report {
  /** How often each thing happened. */
  counts: Readonly<Record<string, number>>
  /** What a bystander asked for while nothing was killed. */
  visits: number
  /** [] is a good day. */
  problems: readonly string[]
}

/** Ends with a server without sites. */
export async function busyDay(host: Host, seconds: number): Promise<Report> {
  const panel = await host.panel()
  await panel.createSite({ ...wordpressFields, domain: bystander })
  const notes = createNotes()
  const day: Day = { host, client: createClient(panel, notes), asked: 0, seen: new Map() }
  const half = () => Date.now() + seconds * 500
  const watch = watchSite(bystander, host.https)
  await work(day, half())
  const { requests, failures } = await watch.stop()
  for (const failure of failures) notes.problem(`${bystander}: ${failure}`)
  const until = half()
  await Promise.all([work(day, until), makeTrouble(host, notes, until)])
  await settle(panel)
  const problems = [...notes.problems(), ...(await judge(day, panel))]
  return { counts: notes.counts(), visits: requests, problems }
}

const work = (day: Day, until: number) =>
  Promise.all(Array.from({ length: operators }, () => operate(day, until)))

async function makeTrouble(host: Host, notes: Notes, until: number): Promise<void> {
  for (;;) {
    await pause(2000 + randomInt(6000))
    if (Date.now() > until) return
    const victim = victims[randomInt(victims.length)] ?? 'agent'
    try {
      const pid = victim === 'agent' || victim === 'api' ? host.pid(victim) : host.servicePid(victim)
      process.kill(pid, 'SIGKILL')
      notes.count(`killed ${victim}`)
    } catch {
      notes.count(`${victim} was dead already`)
    }
  }
}

/** Everything that was killed is back. */
async function settle(panel: Panel): Promise<void> {
  const deadline = Date.now() + 60_000
  const isBack = async () => {
    const { status } = await panel.call('GET', '/api/system/drift').catch(() => ({ status: 0 }))
    return status === 200
  }
  while (!(await isBack())) {
    if (Date.now() > deadline) throw new Error('The panel did not come back within a minute.')
    await pause(200)
  }
  // The services, each at most this long after it died.
  await pause(5000)
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
