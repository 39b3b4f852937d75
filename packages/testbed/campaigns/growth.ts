// What the two-hundredth site costs beside the first: node packages/testbed/campaigns/growth.ts [sites]
import { grow, growthLimit } from '../src/growth.ts'
import { startReeve } from '../src/reeve.ts'

const [sites = '200'] = process.argv.slice(2)
await using reeve = await startReeve()
const growth = await grow(reeve, { sites: Number(sites), window: 7, tell: (line) => console.log(line) })
const { coldMs, firstMs, lastMs, nginxReloadMs, idleMbPerSite, listMs } = growth
console.log(
  `creation: the very first ${coldMs.toFixed(0)} ms, the next ${firstMs.toFixed(0)} ms, the last of ${sites} ${lastMs.toFixed(0)} ms`,
)
console.log(
  `the last beside the next ${(lastMs / firstMs).toFixed(2)} (at most ${growthLimit}), beside the very first ${(lastMs / coldMs).toFixed(2)}`,
)
console.log(`nginx reload with all of them ${nginxReloadMs.toFixed(0)} ms`)
console.log(`idle memory of a site ${idleMbPerSite.toFixed(2)} MB`)
console.log(`list of the sites ${listMs.first.toFixed(1)} ms with one, ${listMs.last.toFixed(1)} ms with all`)
process.exitCode = lastMs / firstMs <= growthLimit ? 0 : 1
