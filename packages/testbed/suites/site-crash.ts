// The short form of campaigns/site-crash.ts: one failure and one kill in each daemon and each direction.
import { expect, it } from 'vitest'
import { allFailpoints, type Campaign } from '../src/campaign.ts'

const chosen = [
  'site.apply.user:after:kill',
  'site.apply.php:after:kill',
  'site.apply.application:mid:kill',
  'site.apply.application:mid:error',
  'site.apply.web-server:after:error',
  'site.apply.verify:before:error',
  'site.create.apply:after:kill',
  'site.create.activate:before:error',
  'site.remove.web-server:after:kill',
  'site.remove.files:after:kill',
  'site.remove.database:before:error',
  'site.delete.remove:after:kill',
]
const cases = allFailpoints()
  .map((failpoint) => ({ name: `${failpoint.where}:${failpoint.how}`, failpoint }))
  .filter(({ name }) => chosen.includes(name))

export function siteCrash(campaignOf: () => Pick<Campaign, 'attempt'>): void {
  it('knows every chosen failpoint', () => {
    expect(cases.map(({ name }) => name).sort()).toEqual([...chosen].sort())
  })

  it.each(cases)('$name ends in a clean slate or a working site', async ({ failpoint }) => {
    expect(await campaignOf().attempt(failpoint)).toEqual([])
  })
}
