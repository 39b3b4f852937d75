import { isDeepStrictEqual } from 'node:util'
import type { CertificateFacts } from '@reeve/contract/certificates.ts'
import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../db/types.ts'
import { findSite } from '../sites/store.ts'

/** Answers whether that is news. */
export async function storeCertificate(
  db: DatabaseOrTransaction,
  siteId: string,
  certificate: CertificateFacts,
): Promise<boolean> {
  const known = (await findSite(db, siteId))?.facts?.certificate
  if (known === undefined || isDeepStrictEqual(known, certificate)) return false
  // This part alone: a task may be storing what else the server reported.
  const facts = sql<string>`json_set(facts, '$.certificate', json(${JSON.stringify(certificate)}))`
  await db.updateTable('sites').set({ facts }).where('id', '=', siteId).execute()
  return true
}

export async function storeCertificateError(
  db: DatabaseOrTransaction,
  siteId: string,
  message: string,
): Promise<void> {
  const known = (await findSite(db, siteId))?.facts?.certificate
  if (known) await storeCertificate(db, siteId, { ...known, last_error: message })
}
