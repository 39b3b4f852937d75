// The audit log: lines of `<sha256> <entry as JSON>` in files that only root can write, each hash taken over
// the one before it and the entry, each append synced. Files are named after their first entry.
// Cutting off the newest lines leaves a chain that fits; the head in the agent's own log shows that.
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AuditEntry, AuditEvent } from '@reeve/contract/audit.ts'
import { AppError } from '@reeve/contract/errors.ts'
import * as z from 'zod'

export interface AuditFilter {
  readonly limit: number
  readonly before?: number | undefined
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly site_id?: string | undefined
  readonly result?: string | undefined
}

export interface AuditLog {
  append(events: readonly AuditEvent[]): { seq: number; hash: string }
  read(filter: AuditFilter): { entries: AuditEntry[]; next_before: number | null }
}

const entriesPerFile = 2000
const filesReadAtOnce = 20
const firstHash = '0'.repeat(64)
const fileName = /^(\d{12})\.log$/

const StoredEntry = AuditEvent.extend({ seq: z.int() })

export function openAuditLog(folder: string): AuditLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { head, recent } = readTail(folder)
  const append = (events: readonly AuditEvent[]) => {
    const fresh = events.filter(({ event_id }) => !recent.has(event_id))
    for (const group of groupsByFile(fresh, head.seq + 1)) {
      let { seq, hash } = head
      const lines = group.events.map((event) => {
        const json = JSON.stringify({ seq: ++seq, ...event })
        hash = chain(hash, json)
        return `${hash} ${json}\n`
      })
      appendSynced(folder, group.first, lines.join(''))
      Object.assign(head, { seq, hash })
      for (const event of group.events) remember(recent, event.event_id)
    }
    return { seq: head.seq, hash: head.hash }
  }
  return { append, read: (filter) => readEntries(folder, filter) }
}

const chain = (previous: string, json: string) =>
  createHash('sha256').update(`${previous}\n${json}`).digest('hex')

// Only the newest events can come twice: the API deletes a batch before it sends the next.
function remember(recent: Set<string>, id: string): void {
  recent.add(id)
  for (const oldest of recent) {
    if (recent.size <= entriesPerFile) break
    recent.delete(oldest)
  }
}

function* groupsByFile(events: readonly AuditEvent[], firstSeq: number) {
  for (let at = 0; at < events.length; ) {
    const seq = firstSeq + at
    const first = seq - ((seq - 1) % entriesPerFile)
    const group = events.slice(at, at + first + entriesPerFile - seq)
    yield { first, events: group }
    at += group.length
  }
}

const pathOf = (folder: string, first: number) => join(folder, `${String(first).padStart(12, '0')}.log`)

function appendSynced(folder: string, first: number, text: string): void {
  const descriptor = openSync(pathOf(folder, first), 'a', 0o600)
  try {
    const { size } = fstatSync(descriptor)
    try {
      writeWhole(descriptor, Buffer.from(text))
      fsyncSync(descriptor)
    } catch (error) {
      // A full disk must not leave half a line for the next append to continue.
      ftruncateSync(descriptor, size)
      throw error
    }
  } finally {
    closeSync(descriptor)
  }
  const directory = openSync(folder, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}

function listFiles(folder: string): number[] {
  return readdirSync(folder)
    .flatMap((name) => fileName.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

function readTail(folder: string): { head: { seq: number; hash: string }; recent: Set<string> } {
  const recent = new Set<string>()
  const last = listFiles(folder).at(-1)
  if (last === undefined) return { head: { seq: 0, hash: firstHash }, recent }
  cutTornLine(pathOf(folder, last))
  const lines = parseFile(folder, last)
  for (const { entry } of lines) recent.add(entry.event_id)
  const newest = lines.at(-1)
  if (newest) return { head: { seq: newest.entry.seq, hash: newest.hash }, recent }
  // The crash came right after a new file was begun: the head is the end of the file before it.
  const before = last === 1 ? undefined : parseFile(folder, last - entriesPerFile).at(-1)
  return { head: { seq: last - 1, hash: before?.hash ?? firstHash }, recent }
}

/** A line without its end was never acknowledged; the API sends that event again. */
function cutTornLine(path: string): void {
  const bytes = readFileSync(path)
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole === bytes.length) return
  const descriptor = openSync(path, 'r+')
  ftruncateSync(descriptor, whole)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

interface Line {
  readonly hash: string
  readonly json: string
  readonly entry: z.infer<typeof StoredEntry>
}

function parseFile(folder: string, first: number): Line[] {
  const text = readFileSync(pathOf(folder, first), 'utf8')
  const lines = text.split('\n')
  lines.pop()
  return lines.map((line, index) => {
    const [hash, json] = [line.slice(0, 64), line.slice(65)]
    try {
      return { hash, json, entry: StoredEntry.parse(JSON.parse(json)) }
    } catch (error) {
      throw new AppError('internal', `Line ${index + 1} of the audit file ${first} is damaged.`, {}, error)
    }
  })
}

function readEntries(folder: string, filter: AuditFilter): ReturnType<AuditLog['read']> {
  const before = filter.before ?? Number.MAX_SAFE_INTEGER
  const files = listFiles(folder).filter((first) => first < before)
  const entries: AuditEntry[] = []
  for (const first of files.slice(-filesReadAtOnce).reverse()) {
    for (const { hash, entry } of parseFile(folder, first).reverse()) {
      if (entry.seq >= before || !matches(entry, filter)) continue
      // Not a page full of nothing: when there is more, the next one starts behind this entry.
      if (entries.length === filter.limit) return { entries, next_before: lastSeq(entries) }
      entries.push(AuditEntry.parse({ ...entry, hash }))
    }
  }
  const unread = files.slice(0, -filesReadAtOnce)
  return { entries, next_before: unread.length > 0 ? (files.at(-filesReadAtOnce) ?? null) : null }
}

const lastSeq = (entries: readonly AuditEntry[]) => entries.at(-1)?.seq ?? null

function matches(entry: Line['entry'], filter: AuditFilter): boolean {
  return (
    (filter.actor === undefined || entry.actor === filter.actor) &&
    (filter.action === undefined || entry.action === filter.action) &&
    (filter.site_id === undefined || entry.site_id === filter.site_id) &&
    (filter.result === undefined || entry.result === filter.result)
  )
}

export interface Verification {
  readonly intact: boolean
  readonly entries: number
  readonly head: string
  readonly problem: string | null
}

/** Walks the whole chain, one file at a time. Needs no running agent. */
export function verifyAuditLog(folder: string): Verification {
  let hash = firstHash
  let seq = 0
  const broken = (problem: string): Verification => ({ intact: false, entries: seq, head: hash, problem })
  for (const first of existsSync(folder) ? listFiles(folder) : []) {
    if (first !== seq + 1) return broken(`Entries ${seq + 1} to ${first - 1} are missing.`)
    let lines: Line[]
    try {
      lines = parseFile(folder, first)
    } catch (error) {
      return broken(error instanceof Error ? error.message : String(error))
    }
    for (const line of lines) {
      if (line.entry.seq !== seq + 1) return broken(`Entry ${seq + 1} is missing or out of order.`)
      if (chain(hash, line.json) !== line.hash) return broken(`Entry ${seq + 1} was changed.`)
      hash = line.hash
      seq++
    }
  }
  return { intact: true, entries: seq, head: hash, problem: null }
}
