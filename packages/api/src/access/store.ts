import type { DatabaseOrTransaction } from '../db/types.ts'

export interface StoredAccess {
  readonly enabled: boolean
  /** SHA-512-crypt; null: keys only. */
  readonly passwordHash: string | null
}

export const noAccess: StoredAccess = { enabled: false, passwordHash: null }

export async function accessOf(db: DatabaseOrTransaction, siteId: string): Promise<StoredAccess> {
  const row = await db.selectFrom('site_access').selectAll().where('site_id', '=', siteId).executeTakeFirst()
  return row ? { enabled: row.enabled === 1, passwordHash: row.password_hash } : noAccess
}

export async function storeAccess(
  db: DatabaseOrTransaction,
  siteId: string,
  { enabled, passwordHash }: StoredAccess,
): Promise<void> {
  const values = { enabled: enabled ? 1 : 0, password_hash: passwordHash } as const
  await db
    .insertInto('site_access')
    .values({ site_id: siteId, ...values })
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet(values))
    .execute()
}

export interface StoredKey {
  readonly fingerprint: string
  /** Type and base64. */
  readonly text: string
  readonly comment: string
  readonly addedAt: string
}

export async function keysOf(db: DatabaseOrTransaction, siteId: string): Promise<StoredKey[]> {
  const rows = await db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('site_id', '=', siteId)
    .orderBy('added_at')
    .orderBy('fingerprint')
    .execute()
  return rows.map((row) => ({
    fingerprint: row.fingerprint,
    text: row.public_key,
    comment: row.comment,
    addedAt: row.added_at,
  }))
}

export async function insertKey(db: DatabaseOrTransaction, siteId: string, key: StoredKey): Promise<void> {
  const { fingerprint, text, comment, addedAt } = key
  const row = { site_id: siteId, fingerprint, public_key: text, comment, added_at: addedAt }
  await db.insertInto('ssh_keys').values(row).execute()
}

export async function deleteKeyRow(
  db: DatabaseOrTransaction,
  siteId: string,
  fingerprint: string,
): Promise<void> {
  await db
    .deleteFrom('ssh_keys')
    .where('site_id', '=', siteId)
    .where('fingerprint', '=', fingerprint)
    .execute()
}
