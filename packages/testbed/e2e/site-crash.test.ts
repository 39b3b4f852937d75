import { afterAll, beforeAll } from 'vitest'
import { type Campaign, openCampaign } from '../src/campaign.ts'
import { siteCrash } from '../suites/site-crash.ts'

let campaign: Campaign

beforeAll(async () => {
  campaign = await openCampaign()
}, 120_000)

afterAll(async () => {
  await campaign[Symbol.asyncDispose]()
})

siteCrash(() => campaign)
