// The installed server's timers: units of systemd, written from the one table.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeManagedFile, writeManagedFile } from '../managed-file.ts'
import type { ServiceContext } from './embedded.ts'
import { renderTimer, renderTimerService } from './render-timers.ts'
import type { Timer } from './timers.ts'
import { systemctl } from './unit.ts'

export async function writeTimers(
  { paths, registry }: ServiceContext,
  timers: readonly Timer[],
): Promise<void> {
  const unit = (name: string) => join(paths.systemdUnits, name)
  const ours = timers.filter((timer) => timer.distributionUnit === undefined)
  const wanted = ours.map(({ name }) => `reeve-${name}.timer`)
  const outdated = readdirSync(paths.systemdUnits).filter(
    (name) => /^reeve-[a-z-]+\.timer$/.test(name) && !wanted.includes(name),
  )
  for (const name of outdated) {
    await systemctl('disable', '--now', name)
    removeManagedFile(registry, unit(name))
    removeManagedFile(registry, unit(name.replace(/\.timer$/, '.service')))
  }
  for (const timer of ours) {
    const files = [
      [`reeve-${timer.name}.service`, renderTimerService(timer)],
      [`reeve-${timer.name}.timer`, renderTimer(timer)],
    ] as const
    for (const [name, text] of files) {
      writeManagedFile(registry, {
        path: unit(name),
        text,
        mode: 0o644,
        renderer: 'services/timer',
        siteId: null,
      })
    }
  }
  await systemctl('daemon-reload')
  if (wanted.length > 0) await systemctl('enable', '--now', ...wanted)
}
