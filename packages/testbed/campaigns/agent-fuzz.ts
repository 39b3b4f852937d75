// Random requests to the agent's socket as user `reeve`: node packages/testbed/campaigns/agent-fuzz.ts [count] [seed]
import { fuzzAs, identityOf, watchAgent } from '../src/isolation/agent-attack.ts'
import { documents } from '../src/isolation/documents.ts'
import { serverState } from '../src/isolation/server-state.ts'
import { startReeve } from '../src/reeve.ts'

const [count = 100_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number)
await using reeve = await startReeve()
await (await reeve.panel()).createSite({ domain: 'bystander.example.com', type: 'php' })
const [pid, before] = [reeve.pid('agent'), JSON.stringify(serverState(reeve.root))]
const watch = watchAgent(reeve)
const { sent, seconds, answers } = await fuzzAs(reeve, identityOf('reeve'), { count, seed, documents })
const worst = await watch.stop()
const problems = [
  ...(reeve.pid('agent') === pid ? [] : ['the agent died']),
  ...(JSON.stringify(serverState(reeve.root)) === before ? [] : ['the server changed']),
  ...(worst.slowestPingMs < 1000 ? [] : [`/ping took ${worst.slowestPingMs} ms`]),
  ...(worst.peakMb < 220 ? [] : [`the agent grew to ${worst.peakMb} MB`]),
  ...Object.keys(answers)
    .filter((answer) => /^5|^200 OK|10 s|REFUSED|internal/.test(answer))
    .map((answer) => `${answers[answer]} × ${answer}`),
]
const rate = Math.round(sent / seconds)
process.stdout.write(`${JSON.stringify(answers)}\n`)
process.stdout.write(
  `${sent} requests with seed ${seed} in ${seconds.toFixed(1)} s (${rate}/s), slowest /ping ${worst.slowestPingMs} ms, ` +
    `resident ${worst.startMb} MB, at most ${worst.peakMb} MB: ${problems.length === 0 ? 'no effect' : problems.join('; ')}\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1
