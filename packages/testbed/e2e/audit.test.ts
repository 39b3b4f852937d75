// The audit log as people use it: asked through the API, checked by the command, and what root does beside the panel.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AuditEntry } from '@reeve/contract/audit.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPanel, type Panel } from '../src/panel.ts'
import { administrator, repository, type Reeve, startReeve } from '../src/reeve.ts'

const operator = { email: 'operator@example.com', password: 'operator-password-7f3a' }

let reeve: Reeve
let panel: Panel
let site: Site

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  site = await panel.createSite({ domain: 'audited.example.com', type: 'static' })
  await panel.call('POST', '/api/users', { ...operator, role: 'operator', site_ids: [] })
  const other = await openPanel({ port: reeve.port, root: reeve.root, ...operator })
  expect((await other.call('GET', '/api/users')).status).toBe(403)
  expect((await other.call('DELETE', '/api/users/uaaaaaaaaaaaaaaa')).status).toBe(403)
  await panel.deleteSite(site.id)
}, 120_000)

afterAll(async () => {
  const { root } = reeve
  await reeve[Symbol.asyncDispose]()
  // The last start was given the root of the first and leaves it alone.
  rmSync(root, { recursive: true, force: true })
})

async function read(query: string): Promise<{ entries: AuditEntry[]; next_before: number | null }> {
  const { status, body } = await panel.call<{ entries: AuditEntry[]; next_before: number | null }>(
    'GET',
    `/api/audit?${query}`,
  )
  expect(status, query).toBe(200)
  return body
}

describe('the audit log', () => {
  it('says who did what, to what, from where, when and with which result', async () => {
    const { entries } = await read('action=createSite')
    expect(entries).toHaveLength(1)
    const [entry] = entries
    expect(entry).toMatchObject({
      actor: administrator.email,
      action: 'createSite',
      target: site.domain,
      address: '127.0.0.1',
      result: 'ok',
      status: 202,
    })
    expect(entry?.request_id).toMatch(/^[0-9a-f]{16}$/)
    expect(Math.abs(Date.now() - Date.parse(entry?.at ?? ''))).toBeLessThan(600_000)
  })

  it.each<[string, (entry: AuditEntry) => boolean]>([
    [`actor=${encodeURIComponent(operator.email)}`, ({ actor }) => actor === operator.email],
    ['action=login', ({ action }) => action === 'login'],
    ['result=refused', ({ result }) => result === 'refused'],
    ['action=deleteUser&result=refused', (entry) => entry.action === 'deleteUser' && entry.status === 403],
  ])('filtered by %s shows those and only those', async (query, isWanted) => {
    const all = (await read('limit=500')).entries
    const wanted = all.filter(isWanted)
    expect(wanted.length).toBeGreaterThan(0)
    expect(wanted.length).toBeLessThan(all.length)
    expect((await read(`limit=500&${query}`)).entries).toEqual(wanted)
  })

  it('filtered by site shows what was done to it, also once it is gone', async () => {
    const { entries } = await read(`site_id=${site.id}`)
    expect(entries.map(({ action }) => action)).toContain('deleteSite')
    expect(entries.every(({ site_id }) => site_id === site.id)).toBe(true)
    expect((await read('site_id=saaaaaaaaaaaaaaa')).entries).toEqual([])
  })

  it('is read in pages, newest first, without gap or overlap', async () => {
    const all = (await read('limit=500')).entries
    const paged: AuditEntry[] = []
    let before: number | null = null
    do {
      const page = await read(`limit=2${before === null ? '' : `&before=${before}`}`)
      expect(page.entries.length).toBeLessThanOrEqual(2)
      paged.push(...page.entries)
      before = page.next_before
    } while (before !== null)
    // Reading is not recorded, so nothing has come in between.
    expect(paged).toEqual(all)
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => all.length - index))
  })
})

const reeveCommand = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(repository, 'dist/reeve.cjs'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', REEVE_ROOT: reeve.root },
    timeout: 60_000,
  })

describe('on the host', () => {
  it('recover-admin works with the panel stopped and stands in the log of the next start', async () => {
    const ports = { panel: reeve.port, http: reeve.httpPort, https: reeve.httpsPort }
    const { root } = reeve
    await reeve.stop()
    expect((await reeveCommand('recover-admin')).stdout).toContain(`${administrator.email}\tadmin`)
    const { stdout } = await reeveCommand('recover-admin', administrator.email, '--disable-2fa')
    const password = /New password of .*: (\S+)/.exec(stdout)?.[1] ?? ''
    reeve = await startReeve({ root, ports })

    expect((await panel.call('GET', '/api/me')).status).toBe(401)
    panel = await openPanel({ port: reeve.port, root, email: administrator.email, password })
    const { entries } = await read(`actor=${encodeURIComponent('root on the host')}`)
    expect(entries).toMatchObject([
      { action: 'recoverAdmin --disable-2fa', target: administrator.email, result: 'ok' },
    ])
  })

  it('verify-audit finds the whole log intact, and one changed letter', async () => {
    const { entries } = await read('limit=500')
    expect((await reeveCommand('verify-audit')).stdout).toContain(`intact: ${entries.length} entries`)
    const folder = join(reeve.root, 'var/lib/reeve-agent/audit')
    const file = join(folder, readdirSync(folder)[0] ?? '')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(operator.email)
    writeFileSync(file, text.replace(operator.email, operator.email.replace('o', 'x')))
    await expect(reeveCommand('verify-audit')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not intact: Entry \d+ was changed/),
    })
    writeFileSync(file, text)
  })
})
