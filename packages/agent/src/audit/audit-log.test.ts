import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import type { AuditEvent } from '@reeve/contract/audit.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openAuditLog, verifyAuditLog } from './audit-log.ts'
import { verifyAudit } from './verify.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/var/tmp/reeve-audit-')
})
afterEach(() => rmSync(folder, { recursive: true }))

function event(action: string, more: Partial<AuditEvent> = {}): AuditEvent {
  return {
    event_id: randomBytes(16).toString('hex'),
    at: '2026-01-02T03:04:05.000Z',
    actor: 'admin@example.test',
    action,
    target: null,
    site_id: null,
    address: '192.0.2.1',
    result: 'ok',
    status: 200,
    reason: null,
    request_id: null,
    ...more,
  }
}
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => event(`a${from + index}`))
const fileAt = (index: number) => join(folder, readdirSync(folder).sort()[index] ?? '')

describe('audit log', () => {
  test('reads newest first and in pages that meet without gap or overlap', () => {
    const log = openAuditLog(folder)
    log.append(many(25))
    const first = log.read({ limit: 10 })
    const second = log.read({ limit: 10, before: first.next_before ?? 0 })
    const third = log.read({ limit: 10, before: second.next_before ?? 0 })
    const seqs = [...first.entries, ...second.entries, ...third.entries].map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index))
    expect(third.next_before).toBeNull()
  })

  test('filters by actor, action, site and result', () => {
    const log = openAuditLog(folder)
    log.append([event('login', { result: 'refused' }), event('createSite'), event('login')])
    expect(log.read({ limit: 9, action: 'login' }).entries).toHaveLength(2)
    expect(log.read({ limit: 9, action: 'login', result: 'refused' }).entries).toHaveLength(1)
    expect(log.read({ limit: 9, actor: 'nobody' }).entries).toEqual([])
  })

  test('records an event that is delivered twice once, also after a restart', () => {
    const twice = many(3)
    openAuditLog(folder).append(twice)
    const { seq } = openAuditLog(folder).append([...twice, event('new')])
    expect(seq).toBe(4)
    expect(verifyAuditLog(folder)).toMatchObject({ intact: true, entries: 4 })
  })

  test('goes on over several files and restarts with one unbroken chain', () => {
    for (let batch = 0; batch < 22; batch++) openAuditLog(folder).append(many(199, batch * 199))
    expect(readdirSync(folder)).toHaveLength(3)
    const { seq, hash } = openAuditLog(folder).append([event('last')])
    expect(verifyAuditLog(folder)).toEqual({ intact: true, entries: seq, head: hash, problem: null })
    expect(openAuditLog(folder).read({ limit: 1, before: 2001 }).entries[0]?.action).toBe('a1999')
  })

  test('cuts a torn last line and takes the event again', () => {
    const [kept, torn] = [event('kept'), event('torn')]
    openAuditLog(folder).append([kept])
    appendFileSync(fileAt(0), `${'a'.repeat(64)} {"seq":2,"event_id":"${torn.event_id}`)
    openAuditLog(folder).append([torn])
    expect(verifyAuditLog(folder)).toMatchObject({ intact: true, entries: 2 })
  })

  test.each([
    ['an edited entry', (text: string) => text.replace('"a3"', '"a9"')],
    ['a removed entry', (text: string) => text.split('\n').toSpliced(3, 1).join('\n')],
    [
      'swapped entries',
      (text: string) => {
        const lines = text.split('\n')
        return lines
          .with(2, lines[3] ?? '')
          .with(3, lines[2] ?? '')
          .join('\n')
      },
    ],
    ['a line that is no entry', (text: string) => text.replace('{"seq":3', '{"sex":3')],
  ])('verifying finds %s', (_name, tamper) => {
    openAuditLog(folder).append(many(8))
    writeFileSync(fileAt(0), tamper(readFileSync(fileAt(0), 'utf8')))
    const verification = verifyAuditLog(folder)
    expect(verification.intact).toBe(false)
    expect(verification.problem).toMatch(/./)
  })

  test('verifying finds a missing file', () => {
    openAuditLog(folder).append(many(2001))
    openAuditLog(folder).append(many(2000))
    rmSync(fileAt(1))
    expect(verifyAuditLog(folder)).toMatchObject({
      intact: false,
      problem: 'Entries 2001 to 4000 are missing.',
    })
  })

  test('the command says whether it is intact, and from where on it is not', async () => {
    const root = join(folder, 'root')
    const inRoot = join(root, 'var/lib/reeve-agent/audit')
    expect(await verifyAudit({ REEVE_ROOT: root })).toContain('intact: 0 entries')
    openAuditLog(inRoot).append(many(5))
    expect(await verifyAudit({ REEVE_ROOT: root })).toContain('intact: 5 entries')
    const file = join(inRoot, readdirSync(inRoot)[0] ?? '')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"a2"', '"b2"'))
    await expect(verifyAudit({ REEVE_ROOT: root })).rejects.toThrow('not intact: Entry 3 was changed')
  })
})
