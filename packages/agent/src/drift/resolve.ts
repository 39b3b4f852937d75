// Ends a drift item: the rendered file comes back, or what is there becomes what is expected. Each step can be
// repeated, and the item stays open until the last one, so a crash between two of them leaves nothing undecided.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { driftResolve } from '@reeve/contract/drift.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { z } from 'zod'
import type { AgentContext } from '../context.ts'
import { failpoint } from '../failpoint.ts'
import type { DriftRow, FileRow } from '../ledger.ts'
import { lookAt, type ManagedFile, replaceFile, settleManagedFile, syncDirectory } from '../managed-file.ts'
import type { Observed } from '../observe-file.ts'
import { changeOf } from './change.ts'
import { checkAccepted } from './check-accepted.ts'
import { filesOfSite } from './would-render.ts'

type Input = z.output<typeof driftResolve.input>
type Output = z.output<typeof driftResolve.output>

export async function resolveDrift(context: AgentContext, { id, action }: Input): Promise<Output> {
  const open = context.registry.findDrift(id)
  const row = open && context.registry.findFile(open.path)
  if (!open || !row) throw gone()
  const hold = row.siteId === null ? context.hostLock.hold : context.siteLock.hold
  return await hold(row.siteId ?? row.path, async () => {
    const item = context.registry.findDrift(id)
    const { row: current, found } = lookAt(context.registry, open.path)
    if (!item || !current) throw gone()
    try {
      if (action === 'restore') await restore(context, item, current, found)
      else await accept(context, item, current, found)
    } catch (error) {
      // Taking the change back may have closed it.
      if (context.registry.findFile(item.path)) context.registry.putDrift(item)
      throw error
    }
    context.registry.closeDrift(item.path)
    return { path: current.path, site_id: current.siteId }
  })
}

const gone = () =>
  new AppError('not_found', 'There is no such drift item; it may have been resolved already.')

async function restore(context: AgentContext, item: DriftRow, row: FileRow, found: Observed): Promise<void> {
  const rendered = renderedNow(context, item, row)
  if (rendered === undefined) {
    throw new AppError('refused', `What ${row.path} should hold is not known; remove the file and try again.`)
  }
  failpoint('drift.restore', 'before')
  if (found.state === 'file') saveEdit(context, item, found)
  failpoint('drift.restore', 'mid')
  const file = fileOf(row, found, rendered)
  await changeOf(
    context,
    row,
  )(() => [settleManagedFile(context.registry, file, found, { bytes: rendered, rendered: null })])
  failpoint('drift.restore', 'after')
}

async function accept(context: AgentContext, item: DriftRow, row: FileRow, found: Observed): Promise<void> {
  const bytes = acceptableText(row, found, item)
  failpoint('drift.accept', 'before')
  await checkAccepted(context, row, bytes)
  failpoint('drift.accept', 'mid')
  const rendered = renderedNow(context, item, row) ?? bytes
  const decided = item.kind === 'conflict' ? item.wanted : null
  const file = fileOf(row, found, bytes)
  await changeOf(
    context,
    row,
  )(() => {
    const kept = { bytes, rendered: rendered === bytes && decided === null ? null : rendered, decided }
    const replaced = settleManagedFile(context.registry, file, found, kept)
    // An edit by hand is often not in force yet.
    return [{ ...replaced, changed: true }]
  })
  failpoint('drift.accept', 'after')
}

function acceptableText(row: FileRow, found: Observed, item: DriftRow): string {
  const refused = (why: string) =>
    new AppError('refused', `${row.path} ${why}, which cannot be accepted; restore it.`, { path: row.path })
  if (found.state === 'missing') throw refused('is missing')
  if (found.state === 'other') throw refused(`is ${found.what}`)
  const text = found.bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(found.bytes)) throw refused('is not text')
  if (item.kind === 'edited' && text === row.bytes) throw refused('differs only in its mode or owner')
  return text
}

/** From the site's document where the file is a site's; else what its renderer wanted last. */
function renderedNow(context: AgentContext, item: DriftRow, row: FileRow): string | undefined {
  const site = row.siteId === null ? undefined : context.registry.findSite(row.siteId)
  const file = site && filesOfSite(context, site).find(({ path }) => path === row.path)
  // What a site's renderer wanted belongs to a change that did not come through.
  const wanted = row.siteId === null ? item.wanted : null
  return file?.text ?? wanted ?? row.rendered ?? row.bytes ?? undefined
}

/** Mode and owner are ours to say also where the content is not. */
function fileOf(row: FileRow, found: Observed, text: string): ManagedFile {
  const { path, mode, renderer, siteId } = row
  const owner = found.state === 'file' ? found : { uid: 0, gid: 0 }
  return { path, text, mode, renderer, siteId, uid: row.uid ?? owner.uid, gid: row.gid ?? owner.gid }
}

/** Kept for a fortnight, for whoever restored too soon. */
function saveEdit(context: AgentContext, item: DriftRow, found: Extract<Observed, { state: 'file' }>): void {
  const folder = join(context.paths.driftBucket, `${Date.now()}-${item.id}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  replaceFile(join(folder, 'content'), found.bytes, { mode: 0o600 })
  replaceFile(join(folder, 'path'), `${item.path}\n`, { mode: 0o600 })
  syncDirectory(context.paths.driftBucket)
}
