// A drift item for people: the difference between what should be there and what is.
import type { DriftRow, FileRow } from '../ledger.ts'
import type { Observed } from '../observe-file.ts'
import { unifiedDiff } from './unified-diff.ts'

/** Only what these write is shown: whatever is not listed may hold a secret. */
const shown = new Set([
  ...[
    'web-server/vhost',
    'web-server/reeve',
    'web-server/nginx',
    'php/pool',
    'php/ini',
    'php/fpm',
    'php/tmpfiles',
  ],
  ...['database/mariadb', 'logs/panel', 'logs/main', 'logs/site', 'services/drop-in', 'services/timer'],
])

/** A unified diff from what was written, or would be, to what is there; of a secret only that it differs. */
export function describeDrift(row: FileRow, found: Observed, item: DriftRow): string {
  const expected = item.kind === 'stale' || item.kind === 'conflict' ? item.wanted : row.bytes
  const names = { from: `${row.path} (expected${ownerOf(row)})`, to: `${row.path} (${stateOf(found)})` }
  const header = `--- ${names.from}\n+++ ${names.to}\n`
  if (found.state !== 'file') return header
  if (!shown.has(row.renderer)) return `${header}@@ the content may hold a secret and is not shown @@\n`
  return unifiedDiff(expected ?? '', found.bytes.toString('utf8'), names) || header
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0')

const ownerOf = ({ mode, uid, gid }: FileRow) =>
  `, mode ${octal(mode)}${uid === null || gid === null ? '' : `, owner ${uid}:${gid}`}`

function stateOf(found: Observed): string {
  switch (found.state) {
    case 'missing':
      return 'missing'
    case 'other':
      return found.what
    case 'file':
      return `on disk, mode ${octal(found.mode)}, owner ${found.uid}:${found.gid}`
  }
}
