// The whole crash campaign: node packages/testbed/campaigns/site-crash.ts [part of a failpoint's name]
import { allFailpoints, openCampaign } from '../src/campaign.ts'

const [filter = ''] = process.argv.slice(2)
const failpoints = allFailpoints().filter(({ where }) => where.includes(filter))
let failed = 0
await using campaign = await openCampaign()
for (const failpoint of failpoints) {
  const started = Date.now()
  const problems = await campaign.attempt(failpoint)
  const name = `${failpoint.where}:${failpoint.how}`
  process.stdout.write(
    `${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${Date.now() - started} ms)\n`,
  )
  for (const problem of problems) process.stdout.write(`         ${problem}\n`)
  if (problems.length > 0) failed++
}
process.stdout.write(`${failpoints.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
