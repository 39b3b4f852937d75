// The ledger of rendered files: what was written where, what a crash may have left half-done, and what differs.
import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { type DriftId, DriftKind } from '@reeve/contract/drift.ts'
import { SiteId } from '@reeve/contract/primitives.ts'

export interface FileRow {
  path: string
  siteId: SiteId | null
  renderer: string
  mode: number
  /** null in rows of versions that did not note them. */
  uid: number | null
  gid: number | null
  /** Of the bytes that were written; null until the first write is through. */
  sha256: string | null
  bytes: string | null
  /** What the renderer said, where the bytes hold an accepted edit beside it. */
  rendered: string | null
  /** Another text of the renderer to which these bytes are the answer: somebody kept their edit against it. */
  decided: string | null
  intended_sha256: string | null
}

export interface IntendedFile {
  path: string
  siteId: SiteId | null
  renderer: string
  mode: number
  uid?: number
  gid?: number
  sha256: string
  text: string
  /** As in a row. */
  rendered?: string | null
  decided?: string | null
}

export interface DriftRow {
  id: DriftId
  path: string
  kind: DriftKind
  /** What would have been written, where that is why the item is open. */
  wanted: string | null
  seenAt: string
}

export type Ledger = ReturnType<typeof fileRows> & ReturnType<typeof driftRows>

export const ledgerSchema = `
  CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, site_id TEXT, renderer TEXT NOT NULL, mode INTEGER NOT NULL,
    sha256 TEXT, intended_sha256 TEXT, bytes TEXT, intended_bytes TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS drift (
    id TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE REFERENCES files (path) ON DELETE CASCADE, kind TEXT NOT NULL,
    wanted TEXT, seen_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS sweeps (name TEXT PRIMARY KEY, ended_at TEXT NOT NULL) STRICT;
`

/** Columns that an earlier version did not make. */
const added = {
  uid: 'INTEGER',
  gid: 'INTEGER',
  rendered: 'TEXT',
  decided: 'TEXT',
  intended_rendered: 'TEXT',
  intended_decided: 'TEXT',
} as const

export const migrateLedger = (db: DatabaseSync): void => addColumns(db, 'files', added)

/** Both names and types are the program's own. */
export function addColumns(db: DatabaseSync, table: string, types: Readonly<Record<string, string>>): void {
  const columns = new Set(
    db
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map((row) => row['name']),
  )
  for (const [name, type] of Object.entries(types)) {
    if (!columns.has(name)) db.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`)
  }
}

export function fileRows(db: DatabaseSync) {
  return {
    findFile(path: string): FileRow | undefined {
      const row = db.prepare('SELECT * FROM files WHERE path = ?').get(path)
      return row && toFileRow(row)
    },
    listFiles(): FileRow[] {
      return db.prepare('SELECT * FROM files ORDER BY path').all().map(toFileRow)
    },
    intendFile(file: IntendedFile): void {
      db.prepare(
        `INSERT INTO files (path, site_id, renderer, mode, uid, gid, intended_sha256, intended_bytes, intended_rendered,
           intended_decided)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (path) DO UPDATE SET site_id = excluded.site_id, renderer = excluded.renderer,
           mode = excluded.mode, uid = excluded.uid, gid = excluded.gid, intended_sha256 = excluded.intended_sha256,
           intended_bytes = excluded.intended_bytes, intended_rendered = excluded.intended_rendered,
           intended_decided = excluded.intended_decided`,
      ).run(
        file.path,
        file.siteId,
        file.renderer,
        file.mode,
        file.uid ?? 0,
        file.gid ?? 0,
        file.sha256,
        file.text,
        file.rendered ?? null,
        file.decided ?? null,
      )
    },
    /** The intended bytes are on disk, so nothing about the file is open any more. */
    commitFile(path: string): void {
      inTransaction(db, () => {
        db.prepare(
          `UPDATE files SET sha256 = intended_sha256, bytes = intended_bytes, rendered = intended_rendered,
             decided = intended_decided, intended_sha256 = NULL, intended_bytes = NULL, intended_rendered = NULL,
             intended_decided = NULL WHERE path = ?`,
        ).run(path)
        db.prepare('DELETE FROM drift WHERE path = ?').run(path)
      })
    },
    /** The row as it was, bytes and all; nothing is intended any more. */
    putFile(row: FileRow): void {
      db.prepare(
        `INSERT INTO files (path, site_id, renderer, mode, uid, gid, sha256, bytes, rendered, decided)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (path) DO UPDATE SET site_id = excluded.site_id, renderer = excluded.renderer,
           mode = excluded.mode, uid = excluded.uid, gid = excluded.gid, sha256 = excluded.sha256,
           bytes = excluded.bytes, rendered = excluded.rendered, decided = excluded.decided, intended_sha256 = NULL,
           intended_bytes = NULL, intended_rendered = NULL, intended_decided = NULL`,
      ).run(
        row.path,
        row.siteId,
        row.renderer,
        row.mode,
        row.uid,
        row.gid,
        row.sha256,
        row.bytes,
        row.rendered,
        row.decided,
      )
    },
    forgetFile(path: string): void {
      db.prepare('DELETE FROM files WHERE path = ?').run(path)
    },
    filesOf(siteId: SiteId): string[] {
      return db
        .prepare('SELECT path FROM files WHERE site_id = ? ORDER BY path')
        .all(siteId)
        .map((row) => String(row['path']))
    },
  }
}

export function driftRows(db: DatabaseSync) {
  const find = (column: 'id' | 'path', value: string) => {
    const row = db.prepare(`SELECT * FROM drift WHERE ${column} = ?`).get(value)
    return row && toDriftRow(row)
  }
  return {
    findDrift: (id: DriftId): DriftRow | undefined => find('id', id),
    driftOf: (path: string): DriftRow | undefined => find('path', path),
    listDrift(): DriftRow[] {
      return db.prepare('SELECT * FROM drift ORDER BY seen_at, path').all().map(toDriftRow)
    },
    /** One item a file, for as long as it differs; `wanted` is kept when it is not said anew. */
    openDrift(path: string, kind: DriftKind, wanted: string | null = null): DriftId {
      db.prepare(
        `INSERT INTO drift (id, path, kind, wanted, seen_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, wanted = coalesce(excluded.wanted, wanted)`,
      ).run(newDriftId(), path, kind, wanted, new Date().toISOString())
      return find('path', path)?.id ?? ''
    },
    /** The item as it was, under its own id. */
    putDrift(item: DriftRow): void {
      db.prepare('INSERT OR REPLACE INTO drift (id, path, kind, wanted, seen_at) VALUES (?, ?, ?, ?, ?)').run(
        item.id,
        item.path,
        item.kind,
        item.wanted,
        item.seenAt,
      )
    },
    closeDrift(path: string): void {
      db.prepare('DELETE FROM drift WHERE path = ?').run(path)
    },
    sweptAt(): string | null {
      return text(db.prepare("SELECT ended_at FROM sweeps WHERE name = 'drift'").get()?.['ended_at'])
    },
    markSwept(): void {
      db.prepare(
        `INSERT INTO sweeps (name, ended_at) VALUES ('drift', ?)
         ON CONFLICT (name) DO UPDATE SET ended_at = excluded.ended_at`,
      ).run(new Date().toISOString())
    },
  }
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function newDriftId(): DriftId {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  return `d${Array.from(randomBytes(15), (byte) => alphabet[byte & 31]).join('')}`
}

const toFileRow = (row: Record<string, unknown>): FileRow => ({
  path: String(row['path']),
  siteId: row['site_id'] === null ? null : SiteId.parse(row['site_id']),
  renderer: String(row['renderer']),
  mode: Number(row['mode']),
  uid: number(row['uid']),
  gid: number(row['gid']),
  sha256: text(row['sha256']),
  bytes: text(row['bytes']),
  rendered: text(row['rendered']),
  decided: text(row['decided']),
  intended_sha256: text(row['intended_sha256']),
})

const toDriftRow = (row: Record<string, unknown>): DriftRow => ({
  id: String(row['id']),
  path: String(row['path']),
  kind: DriftKind.parse(row['kind']),
  wanted: text(row['wanted']),
  seenAt: String(row['seen_at']),
})

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
