import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TimerName } from '@reeve/contract/timers.ts'
import { expect, it } from 'vitest'
import { type RenderedTimer, renderTimer, renderTimerService } from './render-timers.ts'
import { timers } from './timers.ts'
import { makeFolder } from '../testing/folder.ts'

const example: RenderedTimer = {
  name: TimerName.parse('certificates'),
  description: 'Renew certificates that end soon',
  everySeconds: 43_200,
  randomDelaySeconds: 3600,
}

it('is the timer unit', async () => {
  await expect(renderTimer(example)).toMatchFileSnapshot('golden/reeve-certificates.timer')
})

it('is the unit that the timer starts', async () => {
  await expect(renderTimerService(example)).toMatchFileSnapshot('golden/reeve-certificates.service')
})

it('has names of its own for all timers', () => {
  expect(new Set(timers.map(({ name }) => name)).size).toBe(timers.length)
})

it('is taken by systemd', () => {
  const folder = makeFolder('timers')
  for (const timer of [example, ...timers]) {
    // The program is only on an installed server.
    const service = renderTimerService(timer).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true')
    writeFileSync(join(folder, `reeve-${timer.name}.service`), service)
    writeFileSync(join(folder, `reeve-${timer.name}.timer`), renderTimer(timer))
    const said = execFileSync(
      '/usr/bin/systemd-analyze',
      ['verify', '--man=no', join(folder, `reeve-${timer.name}.timer`)],
      { encoding: 'utf8', env: { SYSTEMD_UNIT_PATH: `${folder}:` }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    expect(said).toBe('')
  }
})

it.each([
  { name: TimerName.parse('x'), description: 'two\nlines' },
  { description: '%n' },
  { everySeconds: 0 },
  { everySeconds: 1.5 },
  { randomDelaySeconds: -1 },
])('refuses %j', (change) => {
  expect(() => renderTimer({ ...example, ...change })).toThrow(/cannot hold|is not/)
})
