// The agent's own memory, owned by root: which sites exist, who they run as, and which files were rendered.
// It never reads the API's database, whose owner could write anything there.
import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain, SiteId } from '@reeve/contract/primitives.ts'
import { SiteSpec } from '@reeve/contract/sites.ts'
import * as z from 'zod'
import { addColumns, driftRows, fileRows, ledgerSchema, migrateLedger } from './ledger.ts'

/** Below adduser's own static range and above its usual first thousands; 40,000 sites fit. */
export const firstSiteUid = 20_000
export const lastSiteUid = 59_999

export const SiteSecrets = z.strictObject({
  databasePassword: z.string(),
  redisPassword: z.string(),
  connectorToken: z.string(),
  /** Eight WordPress keys and salts. */
  salts: z.array(z.string()).length(8),
})
export type SiteSecrets = z.infer<typeof SiteSecrets>

export interface RegisteredSite {
  spec: SiteSpec
  secrets: SiteSecrets
  /** The number in `site-<n>` and `site_<n>`. */
  number: number
  /** The release directory's name below `releases/`. */
  release: string
  /** Set once the application and its database stand; before that they may be rebuilt from nothing. */
  isInstalled: boolean
  /** Its removal has begun, so there is no way back: it can only be removed. */
  isBeingRemoved: boolean
}

export type Registry = ReturnType<typeof openRegistry>

const schema = `
  CREATE TABLE IF NOT EXISTS sites (
    id TEXT PRIMARY KEY, domain TEXT NOT NULL UNIQUE, number INTEGER NOT NULL UNIQUE, release TEXT NOT NULL,
    spec TEXT NOT NULL, secrets TEXT NOT NULL, is_installed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
`

/** A column that an earlier version did not make. */
const added = { is_being_removed: 'INTEGER NOT NULL DEFAULT 0' } as const

/** Opens or creates the registry. Every change is on disk before the call returns. */
export function openRegistry(path: string) {
  const db = new DatabaseSync(path)
  chmodSync(path, 0o600)
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=5000; PRAGMA foreign_keys=ON',
  )
  const [check] = db.prepare('PRAGMA integrity_check').all()
  if (check?.['integrity_check'] !== 'ok') {
    throw new AppError(
      'internal',
      `${path} is damaged: ${String(check?.['integrity_check'])}. Restore a copy of it.`,
    )
  }
  db.exec(schema)
  addColumns(db, 'sites', added)
  db.exec(ledgerSchema)
  migrateLedger(db)
  return { ...siteRows(db), ...fileRows(db), ...driftRows(db), ...counters(db), close: () => db.close() }
}

function siteRows(db: DatabaseSync) {
  const specs = readOnce(SiteSpec)
  const secrets = readOnce(SiteSecrets)
  const read = (row: Record<string, unknown>): RegisteredSite => ({
    spec: specs(String(row['id']), String(row['spec'])),
    secrets: secrets(String(row['id']), String(row['secrets'])),
    number: Number(row['number']),
    release: String(row['release']),
    isInstalled: row['is_installed'] === 1,
    isBeingRemoved: row['is_being_removed'] === 1,
  })
  const everySite = () => db.prepare('SELECT * FROM sites ORDER BY number').all().map(read)
  return {
    findSite(id: SiteId): RegisteredSite | undefined {
      const row = db.prepare('SELECT * FROM sites WHERE id = ?').get(id)
      return row && read(row)
    },
    /** One that is here and stays; throws what is to be answered otherwise. */
    requireSite(id: SiteId): RegisteredSite {
      const found = this.findSite(id)
      if (!found) throw new AppError('not_found', `There is no site ${id} on this server.`)
      refuseBeingRemoved(found)
      return found
    },
    /** Without those being removed: nothing is done for them any more. */
    listSites(): RegisteredSite[] {
      return everySite().filter(({ isBeingRemoved }) => !isBeingRemoved)
    },
    /** The row of this site, made when it is new. `isNumberTaken` sees the host's own users. */
    reserveSite(spec: SiteSpec, isNumberTaken: (number: number) => boolean): RegisteredSite {
      refuseForeignNames(spec, everySite())
      const known = this.findSite(spec.id)
      if (known) {
        refuseBeingRemoved(known)
        refuseOtherIdentity(known.spec, spec)
        db.prepare('UPDATE sites SET spec = ? WHERE id = ?').run(JSON.stringify(spec), spec.id)
        return { ...known, spec }
      }
      const number = this.nextNumber(isNumberTaken)
      const release = new Date()
        .toISOString()
        .replace(/[^0-9]/g, '')
        .slice(0, 14)
      db.prepare(
        'INSERT INTO sites (id, domain, number, release, spec, secrets) VALUES (?, ?, ?, ?, ?, ?)',
      ).run(spec.id, spec.domain, number, release, JSON.stringify(spec), JSON.stringify(newSecrets()))
      return read(db.prepare('SELECT * FROM sites WHERE id = ?').get(spec.id) ?? {})
    },
    /** Goes on upwards and starts again at the end: what a removed site left behind never meets its number soon. */
    nextNumber(isNumberTaken: (number: number) => boolean): number {
      const numbers = lastSiteUid - firstSiteUid
      const rows = db.prepare('SELECT number FROM sites').all()
      const used = new Set(rows.map((row) => Number(row['number'])))
      const counted = countedOf(db, 'site number')
      for (let next = counted; next < counted + numbers; next++) {
        const number = (next % numbers) + 1
        if (used.has(number) || isNumberTaken(number)) continue
        count(db, 'site number', next + 1)
        return number
      }
      throw new AppError('refused', 'No system user id is left for another site; remove one first.')
    },
    storeSecrets(id: SiteId, secrets: SiteSecrets): void {
      db.prepare('UPDATE sites SET secrets = ? WHERE id = ?').run(JSON.stringify(secrets), id)
    },
    markInstalled(id: SiteId): void {
      db.prepare('UPDATE sites SET is_installed = 1 WHERE id = ?').run(id)
    },
    markBeingRemoved(id: SiteId): void {
      db.prepare('UPDATE sites SET is_being_removed = 1 WHERE id = ?').run(id)
    },
    forgetSite(id: SiteId): void {
      db.prepare('DELETE FROM sites WHERE id = ?').run(id)
    },
    domainOf(id: SiteId): Domain | undefined {
      return this.findSite(id)?.spec.domain
    },
  }
}

/** Checks a document anew only when its text is another one: every creation asks for all sites. */
function readOnce<T>(schema: z.ZodType<T>): (id: string, text: string) => T {
  const known = new Map<string, { text: string; value: T }>()
  return (id, text) => {
    const last = known.get(id)
    if (last?.text === text) return last.value
    const value = frozen(schema.parse(JSON.parse(text)))
    known.set(id, { text, value })
    return value
  }
}

/** Everybody gets the same one, so nobody may change it. */
function frozen<T>(value: T): T {
  for (const part of Object.values(value ?? {})) if (typeof part === 'object') frozen(part)
  return Object.freeze(value)
}

/** nginx serves a name by the first file that claims it, so a second claim would take another site's visitors. */
function refuseForeignNames(spec: SiteSpec, sites: readonly RegisteredSite[]): void {
  const names = new Set([spec.domain, ...spec.aliases])
  for (const other of sites) {
    if (other.spec.id === spec.id) continue
    const taken = [other.spec.domain, ...other.spec.aliases].find((name) => names.has(name))
    if (taken === undefined) continue
    const field = taken === spec.domain ? 'domain' : 'aliases'
    throw new AppError('conflict', `${taken} is already served by another site.`, { field })
  }
}

function refuseBeingRemoved({ spec, isBeingRemoved }: RegisteredSite): void {
  if (!isBeingRemoved) return
  throw new AppError('conflict', `Removing ${spec.domain} did not finish; it can only be removed again.`)
}

/** What a site is stays: another type at the same domain would hand its visitors to another program. */
function refuseOtherIdentity(known: SiteSpec, wanted: SiteSpec): void {
  for (const field of ['domain', 'type'] as const) {
    if (known[field] === wanted[field]) continue
    throw new AppError(
      'refused',
      `Site ${known.id} is a ${known.type} site for ${known.domain}; its ${field} cannot change.`,
      { field },
    )
  }
}

function counters(db: DatabaseSync) {
  return { nextOf: (name: string) => nextOf(db, name) }
}

/** The next number of this counter, starting at 1. */
function nextOf(db: DatabaseSync, name: string): number {
  const value = countedOf(db, name) + 1
  count(db, name, value)
  return value
}

function countedOf(db: DatabaseSync, name: string): number {
  return Number(db.prepare('SELECT value FROM counters WHERE name = ?').get(name)?.['value'] ?? 0)
}

function count(db: DatabaseSync, name: string, value: number): void {
  db.prepare(
    'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  ).run(name, value)
}

export const newSecret = (): string => randomBytes(32).toString('base64url')

function newSecrets(): SiteSecrets {
  return {
    databasePassword: newSecret(),
    redisPassword: newSecret(),
    connectorToken: newSecret(),
    salts: Array.from({ length: 8 }, () => randomBytes(48).toString('base64url')),
  }
}
