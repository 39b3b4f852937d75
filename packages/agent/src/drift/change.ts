// By which service a file is read, and so how a change of it is made and proven.
import type { ConfigChange } from '../config-batch.ts'
import { run } from '../command.ts'
import type { AgentContext } from '../context.ts'
import type { FileRow } from '../ledger.ts'

type Change = (change: ConfigChange) => Promise<unknown>

export function changeOf(context: AgentContext, row: FileRow): Change {
  if (row.renderer.startsWith('web-server/')) return context.webServer.change
  const php = [...context.php.values()].find(({ version }) => row.path.includes(`/php/${version}/`))
  if (php) return php.change
  // Whatever else reads a file of ours reads it when it starts; systemd has to be told.
  const isUnit = row.path.startsWith(`${context.paths.systemdUnits}/`)
  return async (change) => {
    change()
    if (isUnit) await run('systemctl', ['daemon-reload'], { timeoutMs: 30_000 })
  }
}
