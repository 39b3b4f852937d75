// The short form of campaigns/site-crash.ts.
import { expect, it } from 'vitest'
import { allFailpoints, type Campaign } from '../src/campaign.ts'

/** One failure and one kill in each daemon and each direction. */
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
/** `names` are failpoints with their outcome, as the campaign prints them. */
export function siteCrash(
  campaignOf: () => Pick<Campaign, 'attempt'>,
  names: readonly string[] = chosen,
): void {
  const cases = allFailpoints()
    .map((failpoint) => ({ name: `${failpoint.where}:${failpoint.how}`, failpoint }))
    .filter(({ name }) => names.includes(name))

  it('knows every chosen failpoint', () => {
    expect(cases.map(({ name }) => name).sort()).toEqual([...names].sort())
  })

  it.each(cases)('$name ends in a clean slate or a working site', async ({ failpoint }) => {
    expect(await campaignOf().attempt(failpoint)).toEqual([])
  })
}
