// What the two-hundredth site costs beside the first: node packages/testbed/campaigns/growth.ts [sites]
import { grow, growthLimit } from '../src/growth.ts'
import { startReeve } from '../src/reeve.ts'

const [sites = '200'] = process.argv.slice(2)
await using reeve = await startReeve()
const growth = await grow(reeve, { sites: Number(sites), rounds: 7, tell: (line) => console.log(line) })
const { firstMs, secondMs, lastMs, nginxReloadMs, idleMbPerSite, listMs } = growth
const times = { 'the first': firstMs, 'the second': secondMs, [`number ${sites}`]: lastMs }
for (const [name, ms] of Object.entries(times)) console.log(`creation of ${name}: ${ms.toFixed(0)} ms`)
const ratio = lastMs / firstMs
console.log(
  `the last beside the first ${ratio.toFixed(2)} (at most ${growthLimit}), beside the second ${(lastMs / secondMs).toFixed(2)}`,
)
console.log(`nginx reload with all of them ${nginxReloadMs.toFixed(0)} ms`)
console.log(`idle memory of a site ${idleMbPerSite.toFixed(2)} MB`)
console.log(`list of the sites ${listMs.first.toFixed(1)} ms with one, ${listMs.last.toFixed(1)} ms with all`)
process.exitCode = ratio <= growthLimit ? 0 : 1
