// Whether the program that reads a file would take it as somebody edited it, before it is taken for right.
import { basename } from 'node:path'
import type { AgentContext } from '../context.ts'
import type { FileRow } from '../ledger.ts'
import { provePoolText } from '../php/fpm.ts'
import { testTree } from '../web-server/check-site.ts'

export async function checkAccepted(context: AgentContext, row: FileRow, text: string): Promise<void> {
  if (row.renderer.startsWith('web-server/')) {
    await context.hostLock.hold('nginx check', () => testTree(context.paths))
  }
  if (row.renderer === 'php/pool') {
    const php = [...context.php.values()].find(({ version }) => row.path.includes(`/php/${version}/`))
    // One that kills its master would take every site's PHP with it.
    if (php) await provePoolText(context.paths, { user: basename(row.path, '.conf'), text }, php.version)
  }
}
