// Power cuts on a fresh Debian server: node packages/testbed/campaigns/power-cut.ts [count] [seed] [bookworm|trixie]
import { mkdtempSync } from 'node:fs'
import { execute } from '../lab/execute.ts'
import { openNetwork } from '../lab/network.ts'
import { prepareHost } from '../lab/root.ts'
import { bootFresh, buildRelease, install, installedHost, makeServerDisk } from '../src/installed.ts'
import { openPowerCuts, type Outcome, type PowerCut } from '../src/power-cut.ts'

const [count = 50, seed = Date.now() % 2 ** 31] = process.argv.slice(2, 4).map(Number)
const release = process.argv[4] === 'trixie' ? 'trixie' : 'bookworm'

/** Deterministic, so that a failure can be looked for again (Marsaglia, "Xorshift RNGs"). Between 0 and 1. */
function random(from: number): () => number {
  let state = from >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

function chooseCut(next: () => number): PowerCut {
  const operation = next() < 0.6 ? 'create' : 'delete'
  const kind = next()
  const type = kind < 0.7 ? 'wordpress' : kind < 0.85 ? 'php' : 'static'
  // Somewhat beyond the end, so that what was just acknowledged is cut as well.
  const moment = next() < 0.2 ? 'acknowledged' : next() * 1.3
  return { operation, type, moment }
}

const say = (text: string) => process.stdout.write(`${text}\n`)
const folder = mkdtempSync('/var/tmp/reeve-power-cut-')
await using cleanup = new AsyncDisposableStack()
cleanup.defer(async () => void (await execute('rm', ['-rf', '--one-file-system', folder])))
await prepareHost()
const network = cleanup.use(await openNetwork())
await buildRelease()
const plan = { folder, release, network, number: 0 } as const
const server = cleanup.use(await bootFresh(await makeServerDisk(plan), plan))
await install(server)
const cuts = await openPowerCuts(installedHost(server))

const next = random(seed)
const outcomes: Outcome[] = []
for (let number = 1; number <= count; number++) {
  const cut = chooseCut(next)
  const outcome = await cuts.attempt(cut)
  outcomes.push(outcome)
  const moment = typeof cut.moment === 'number' ? cut.moment.toFixed(2) : cut.moment
  const verdict = outcome.problems.length === 0 ? 'ok    ' : 'FAILED'
  say(
    `${verdict} ${number} ${cut.operation} ${cut.type} at ${moment}: ${outcome.before} said, then ${outcome.after}, up after ${outcome.upAfterMs} ms`,
  )
  for (const problem of outcome.problems) say(`         ${problem}`)
}
const failed = outcomes.filter(({ problems }) => problems.length > 0).length
const heard = (before: Outcome['before']) => outcomes.filter((outcome) => outcome.before === before).length
const slowest = Math.max(...outcomes.map(({ upAfterMs }) => upAfterMs))
say(
  `${count} power cuts on ${release} with seed ${seed}: ${heard('nothing')} before an answer, ${heard('accepted')} during the task, ${heard('done')} after its end; panel up after at most ${slowest} ms; ${failed} failed`,
)
process.exitCode = failed === 0 ? 0 : 1
