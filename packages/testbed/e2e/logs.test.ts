// Logs of a running panel: what services and sites wrote, read by the people who may.
import {
  appendFileSync,
  lchownSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { LogLines } from '@reeve/contract/logs.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Panel } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { visit } from '../src/visitor.ts'

let reeve: Reeve
let panel: Panel
let site: Site

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  site = await panel.createSite({ domain: 'logs.example.com', type: 'php' })
}, 240_000)

afterAll(() => reeve[Symbol.asyncDispose](), 120_000)

const read = async (path: string) => {
  const { status, body } = await panel.call<LogLines>('GET', path)
  expect([status, status === 200 ? '' : body]).toEqual([200, ''])
  return body
}
const readSite = (query: string) => read(`/api/sites/${site.id}/logs?${query}`)
const home = () => join(reeve.root, 'srv/sites', site.domain)

describe('logs of the server', () => {
  it.each(['api', 'agent', 'mariadb', 'redis', 'php'])('%s has lines', async (source) => {
    await expect
      .poll(async () => (await read(`/api/logs?source=${source}`)).lines.length, { timeout: 30_000 })
      .toBeGreaterThan(0)
  })

  it.each(['nginx-error', 'nginx-access'])('%s can be read', async (source) => {
    expect((await read(`/api/logs?source=${source}`)).truncated).toBe(false)
  })

  it('are followed and filtered', async () => {
    const first = await read('/api/logs?source=agent&filter=SITE.APPLY')
    expect(first.lines.length).toBeGreaterThan(0)
    expect(first.lines.filter((line) => !line.includes('site.apply'))).toEqual([])
    await panel.call('GET', `/api/sites/${site.id}/cron`)
    const added = () => read(`/api/logs?source=agent&filter=cron.state&cursor=${first.cursor}`)
    await expect.poll(async () => (await added()).lines.length, { timeout: 30_000 }).toBeGreaterThan(0)
  })
})

describe('logs of a site', () => {
  it('tell who visited, escaped', async () => {
    await visit(site.domain, {
      port: reeve.httpsPort,
      path: '/index.php?visited',
      headers: { 'user-agent': '<img src=x>' },
    })
    const visits = () => readSite('source=access&filter=%3FVISITED')
    await expect
      .poll(async () => (await visits()).lines, { timeout: 30_000 })
      .toEqual([expect.stringContaining('<img src=x>')])
  })

  it("tell PHP's errors, without what could rewrite a terminal, across rotation", async () => {
    writeFileSync(
      join(home(), 'current/fail.php'),
      '<?php error_log("one \\x1b[2J\\x9b31m\\n"); trigger_error("two");',
    )
    await visit(site.domain, { port: reeve.httpsPort, path: '/fail.php' })
    const first = await readSite('source=php')
    const text = first.lines.join('\n')
    expect(text).toContain('one \\x1b[2J\\x9b31m')
    expect(text).toContain('two')
    expect(text).not.toMatch(/[^\P{Cc}\n]/u)
    const log = join(home(), 'logs/php-error.log')
    const before = statSync(log)
    // As logrotate does with copytruncate.
    writeFileSync(log, '')
    appendFileSync(log, 'after rotation\n')
    expect(statSync(log).ino).toBe(before.ino)
    expect((await readSite(`source=php&cursor=${first.cursor}`)).lines).toEqual(['after rotation'])
  })

  it('lead root nowhere when the site puts something else in their place', async () => {
    const log = join(home(), 'logs/php-error.log')
    const { uid } = statSync(log)
    const outside = mkdtempSync('/var/tmp/reeve-outside-')
    writeFileSync(join(outside, 'secret'), 'root only\n', { mode: 0o600 })
    const stand = [
      () => symlinkSync(join(outside, 'secret'), log),
      () => symlinkSync('/etc/passwd', log),
      () => execFileSync('/usr/bin/mkfifo', [log]),
    ]
    for (const put of stand) {
      unlinkSync(log)
      put()
      lchownSync(log, uid, uid)
      expect(await readSite('source=php')).toEqual({ lines: [], cursor: null, truncated: false })
    }
    unlinkSync(log)
    rmSync(outside, { recursive: true })
  })
})
