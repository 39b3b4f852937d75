// Compares every rendered file with what was written (R), what is on disk (D) and what would be written now (W).
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DriftItem, DriftKind } from '@reeve/contract/drift.ts'
import type { AgentContext } from '../context.ts'
import type { DriftRow, FileRow } from '../ledger.ts'
import { isAsWritten, isVolatile, lookAt, type ManagedFile } from '../managed-file.ts'
import type { Observed } from '../observe-file.ts'
import { removeTree } from '../sites/layout.ts'
import { describeDrift } from './describe.ts'
import { wouldRender } from './would-render.ts'

export const keptDays = 14

/** Opens an item for each file that differs, and closes those of files that do not any more. */
export function sweepDrift(context: AgentContext): void {
  const { registry } = context
  const wanted = wouldRender(context)
  for (const { path } of registry.listFiles()) {
    const { row, found } = lookAt(registry, path)
    if (!row || isVolatile(row.renderer)) continue
    const kind = kindOf(row, found, registry.driftOf(path), wanted.get(path))
    if (kind === undefined) registry.closeDrift(path)
    else registry.openDrift(path, kind, kind === 'stale' ? (wanted.get(path)?.text ?? null) : null)
  }
  registry.markSwept()
}

function kindOf(
  row: FileRow,
  found: Observed,
  item: DriftRow | undefined,
  wanted: ManagedFile | undefined,
): DriftKind | undefined {
  // A first write that never came through left nothing that could differ.
  if (row.sha256 === null && found.state === 'missing') return undefined
  if (found.state === 'missing') return 'missing'
  if (found.state === 'other') return found.what.startsWith('a file') ? 'unreadable' : 'edited'
  if (!isAsWritten(row, found)) return 'edited'
  if (item?.kind === 'conflict') return 'conflict'
  return wanted !== undefined && wanted.text !== (row.rendered ?? row.bytes) ? 'stale' : undefined
}

export async function listDriftItems(context: AgentContext, sweep: boolean): Promise<DriftItem[]> {
  if (sweep) sweepDrift(context)
  const { registry } = context
  return registry.listDrift().flatMap((item): DriftItem[] => {
    const { row, found } = lookAt(registry, item.path)
    if (!row) return []
    return [
      {
        id: item.id,
        path: item.path,
        site_id: row.siteId,
        renderer: row.renderer,
        kind: item.kind,
        diff: describeDrift(row, found, item),
        seen_at: item.seenAt,
      },
    ]
  })
}

/** The timer's work: look, and forget edits that were discarded long ago. */
export async function sweepOnTime(context: AgentContext): Promise<void> {
  sweepDrift(context)
  const bucket = context.paths.driftBucket
  if (!existsSync(bucket)) return
  const oldest = Date.now() - keptDays * 24 * 60 * 60 * 1000
  for (const name of readdirSync(bucket)) {
    if (Number(name.split('-')[0]) < oldest) await removeTree(join(bucket, name))
  }
}
