import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { SiteId, Timestamp } from './primitives.ts'

/** Random, like every id; it names one managed file for as long as it differs. */
export const DriftId = z.string().regex(/^d[a-z2-7]{15}$/, 'is not a drift item id')
export type DriftId = z.infer<typeof DriftId>

/**
 * `edited`: the bytes are not the recorded ones; `missing`: the file is gone; `stale`: the panel would render it
 * anew; `conflict`: an accepted edit and a later configuration change touch the same lines; `unreadable`: it could
 * not be compared, which is never taken for being in order.
 */
export const DriftKind = z.enum(['edited', 'missing', 'stale', 'conflict', 'unreadable'])
export type DriftKind = z.infer<typeof DriftKind>

export const DriftItem = z.strictObject({
  id: DriftId,
  path: z.string(),
  site_id: SiteId.nullable(),
  renderer: z.string(),
  kind: DriftKind,
  /** Unified diff from what was written to what is there; empty when it could not be made. */
  diff: z.string(),
  seen_at: Timestamp,
})
export type DriftItem = z.infer<typeof DriftItem>

export const DriftAction = z.enum(['restore', 'accept'])

export const listDrift = endpoint({
  name: 'listDrift',
  summary: 'Managed files that no longer match what the panel wrote',
  method: 'GET',
  path: '/api/system/drift',
  role: 'global',
  response: z.object({ items: z.array(DriftItem), swept_at: Timestamp.nullable() }),
})

export const resolveDrift = endpoint({
  name: 'resolveDrift',
  summary: 'Restore the rendered file, or accept what is there',
  method: 'POST',
  path: '/api/system/drift/{id}/resolve',
  role: 'admin',
  params: z.strictObject({ id: DriftId }),
  body: z.strictObject({ action: DriftAction }),
})

export const driftList = operation({
  name: 'drift.list',
  summary: 'Compare every managed file with what was written and list those that differ',
  input: z.strictObject({ sweep: z.boolean() }),
  output: z.strictObject({ items: z.array(DriftItem), swept_at: Timestamp.nullable() }),
})

export const driftResolve = operation({
  name: 'drift.resolve',
  summary: 'Put the rendered bytes back, or record the present ones as expected',
  input: z.strictObject({ id: DriftId, action: DriftAction }),
  output: z.strictObject({ path: z.string(), site_id: SiteId.nullable() }),
})
