// The parts of a site's page where it is run: certificate, caches, cron, access and logs, on a site that is visited.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteAllSites, openBrowser, type Visitor } from '../src/browser.ts'
import { type CertificateLab, openCertificateLab } from '../src/certificates.ts'
import { expectOn } from '../src/expect-on.ts'
import { wordpressFields } from '../src/panel.ts'
import { enter, openPart } from '../src/screens.ts'
import { visit } from '../src/visitor.ts'

// What the server does takes seconds when other tests have the processor.
const patience = { timeout: 60_000 }

let lab: CertificateLab
let site: Site
let browser: Browser
let visitor: Visitor
let page: Page

beforeAll(async () => {
  lab = await openCertificateLab()
  site = await lab.createSite({ ...wordpressFields, domain: 'running.example.com' })
  browser = await openBrowser()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(lab.panel)
  await lab[Symbol.asyncDispose]()
}, 120_000)

beforeEach(async () => {
  visitor = await enter(browser, lab.reeve.origin)
  page = visitor.page
})

afterEach(async () => {
  const { problems } = visitor
  await page.context().close()
  expect(problems).toEqual([])
})

const see = (path: string) => visit(site.domain, { port: lab.reeve.httpsPort, path })
const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
const toast = (text: string | RegExp) => page.getByRole('status').getByText(text).waitFor(patience)

const open = (part: string) => openPart(page, site, part)

describe('the certificate', () => {
  it('is got with its steps in view, and a failure is shown in the authority’s words', async () => {
    await open('certificate')
    await page.getByText('This server itself').waitFor()
    await page.getByText('browsers warn every visitor').waitFor()

    lab.authority.front.fail('/order-plz', {
      status: 403,
      problem: { type: 'urn:ietf:params:acme:error:rejectedIdentifier', detail: 'not this <b>name</b>' },
    })
    await press('Get certificate')
    await page.getByRole('alert').filter({ hasText: 'not this <b>name</b>' }).waitFor(patience)
    await page.getByRole('list', { name: 'Steps' }).getByText('Check the names').waitFor()
    await page.getByText('This server itself').waitFor()
    lab.authority.front.heal()

    await page.reload()
    await press('Get certificate')
    await page.getByText(/^Pebble Intermediate/).waitFor(patience)
    await page.getByRole('button', { name: 'Renew now' }).waitFor()
    await expectOn(page.getByText('Covered', { exact: true })).toHaveCount(1)
  })
})

describe('the cache', () => {
  it('shows what it holds, and is purged by address and whole', async () => {
    for (const path of ['/', '/', '/?p=1']) await see(path)
    await open('cache')
    // Counting is remembered for a while, and the log is written with a delay.
    await expectOn(async () => {
      await press('Read again')
      await expectOn(page.getByText(/\d+ %/).first()).toBeVisible({ timeout: 2000 })
    }).toPass(patience)
    const addresses = page.getByLabel('Addresses')
    await press('Purge these')
    await page.getByText('Type at least one address first.').waitFor()
    await addresses.fill('https://elsewhere.example.com/')
    await press('Purge these')
    await page.getByText('elsewhere.example.com is not a name of').waitFor()
    await expectOn(addresses).toBeFocused()
    await addresses.fill('/')
    await press('Purge these')
    await toast(/^\d+ cached pages? (was|were) purged\.$/)
    expect((await see('/')).headers['x-cache']).toBe('MISS')
    expect((await see('/')).headers['x-cache']).toBe('HIT')

    await press('Purge everything')
    await press('Cancel')
    await expectOn(page.getByRole('button', { name: 'Purge everything' })).toBeFocused()
    await press('Purge everything')
    await press('Yes, purge everything')
    await toast('Every page of the cache was purged.')
    expect((await see('/')).headers['x-cache']).toBe('MISS')
  })

  it('is warmed as a task in place, and the plugin gets a new token', async () => {
    await open('cache')
    await press('Warm the cache')
    await page.getByText('Warm the cache', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'Details' }).waitFor(patience)
    expect((await see('/')).headers['x-cache']).toBe('HIT')
    await press('Replace the token')
    await press('Yes, replace it')
    await toast('The site has a new token.')
  })
})

describe('cron', () => {
  let attempt = 0

  it('takes a command with its schedule, runs it, shows what it printed, and lets it go', async () => {
    await open('cron')
    await page.getByText('WordPress’s own tasks').first().waitFor()
    await press('Add cron job')
    const dialog = page.getByRole('dialog', { name: 'New cron job' })
    const command = `echo "it <b>ran</b> ${++attempt}"; exit 3`
    await dialog.getByLabel('Command').fill(command)
    await dialog.getByLabel('Schedule', { exact: true }).fill('61 3 * * *')
    await dialog.getByText('cannot hold 61 as minute').waitFor()
    await dialog.getByRole('button', { name: 'Add cron job' }).click()
    await dialog.locator('input[name=schedule][aria-invalid=true]').waitFor()
    await expectOn(dialog.getByLabel('Command')).toHaveValue(command)
    await dialog.getByRole('button', { name: 'Weekly' }).click()
    await dialog.getByText('At 03:15 UTC, on Monday').waitFor()
    await dialog.getByRole('button', { name: 'Add cron job' }).click()
    await toast('The cron job was added.')

    const job = page.getByRole('listitem').filter({ hasText: command })
    await expectOn(job.getByRole('time')).toHaveCount(3)
    await job.getByRole('button', { name: /Run now/ }).click()
    await job.getByText('Failed', { exact: true }).waitFor(patience)
    await job.getByText(/took .* exit 3/).waitFor()
    await job.locator('summary').click()
    await expectOn(job.getByRole('log')).toContainText('it <b>ran</b>')

    await job.getByRole('button', { name: /^Delete/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await toast('The cron job was deleted.')
    await expectOn(job).toHaveCount(0)
  })
})

describe('access', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-key-'))
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'a laptop', '-f', join(folder, 'key')])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('shows the password once, and asks before it is out of sight for good', async () => {
    await lab.panel.call('POST', `/api/sites/${site.id}/sftp`, { enabled: false })
    await open('access')
    await page.getByText('Nobody can reach the files over SFTP.').waitFor()
    await press('Turn on SFTP')
    await page.getByText('Keep this password now').waitFor(patience)
    const shown = page.locator('code').filter({ hasText: /^[A-Za-z0-9_-]{20,}$/ })
    const password = await shown.innerText()
    await page.getByRole('link', { name: 'Logs' }).last().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click()
    await expectOn(shown).toHaveText(password)
    await press('I have kept it')
    await expectOn(page.getByText(password)).toHaveCount(0)
    await page.getByText(`sftp -P`).waitFor()
    await page.getByText('Set; it cannot be shown again').waitFor()
    await press('Keys only')
    await press('Yes, keys only')
    await page.getByText('None, keys only').waitFor(patience)
    await press('Turn off')
    await press('Yes, turn off')
    await page.getByText('Nobody can reach the files over SFTP.').waitFor(patience)
  })

  it('takes a public key and never sends a private one', async () => {
    await open('access')
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    const field = page.getByLabel('Public key')
    await field.fill(readFileSync(join(folder, 'key'), 'utf8'))
    await page.getByText('This is a private key. It was not sent').waitFor()
    await expectOn(field).toHaveValue('')
    await field.fill('ssh-ed25519 AAAA')
    await press('Add key')
    await page.locator('textarea[name=public_key][aria-invalid=true]').waitFor()
    await field.fill(readFileSync(join(folder, 'key.pub'), 'utf8'))
    await press('Add key')
    await toast('The key can sign in now.')
    const printed = execFileSync('ssh-keygen', ['-l', '-f', join(folder, 'key.pub')], { encoding: 'utf8' })
    await page.getByText(/SHA256:\S+/.exec(printed)?.[0] ?? 'no fingerprint').waitFor()
    await press('Remove a laptop')
    await press('Yes, remove it')
    await toast('The key cannot sign in any more.')
    await page.getByText('No key yet.').waitFor()
    expect(sent.filter((body) => body.includes('PRIVATE'))).toEqual([])
  })
})

describe('logs', () => {
  let attempt = 0
  /** Answered by the web server alone. */
  const picture = '/wp-includes/images/spinner.gif'

  it('are followed, filtered, and read at rest; hostile lines are text', async () => {
    const mark = `mark-${++attempt}`
    for (let index = 0; index < 60; index++) await see(`${picture}?many-${index}`)
    await see(`${picture}?${mark}-<b>bold</b>`)
    await open('logs')
    await page.getByLabel('Log', { exact: true }).first().selectOption({ label: 'Visits' })
    const log = page.getByRole('log')
    await expectOn(log).toContainText(`${mark}-<b>bold</b>`)
    await page.getByText('Following').waitFor()
    await log.hover()
    await page.mouse.wheel(0, -20_000)
    await page.getByText('Paused while you read.').waitFor()
    await press('To the end')
    await page.getByText('Following').waitFor()

    await page.getByLabel('Only lines with').fill(`LATER-${mark}`)
    await page.getByText(`No line holds “LATER-${mark}”.`).waitFor()
    await see(`${picture}?later-${mark}`)
    await expectOn(log).toContainText(`later-${mark}`)
    await expectOn(log).not.toContainText('bold')
  })

  it('of the server are there for those who run it', async () => {
    await page.goto('/logs')
    await page.getByLabel('Log', { exact: true }).first().selectOption({ label: 'Panel API' })
    await expectOn(page.getByRole('log')).toContainText('api listens')
  })
})
