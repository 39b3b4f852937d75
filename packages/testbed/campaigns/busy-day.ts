// Operators at work and processes that die: node packages/testbed/campaigns/busy-day.ts [seconds]
import { busyDay } from '../src/busy-day/day.ts'
import { startReeve } from '../src/reeve.ts'

const seconds = Number(process.argv[2] ?? 600)
await using reeve = await startReeve()
const { counts, visits, problems } = await busyDay(reeve, seconds)
for (const [what, count] of Object.entries(counts))
  process.stdout.write(`${String(count).padStart(7)} ${what}\n`)
for (const problem of problems) process.stdout.write(`FAILED ${problem}\n`)
process.stdout.write(
  `${visits} visits to a bystander while nothing was killed; ${problems.length} problems\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1
