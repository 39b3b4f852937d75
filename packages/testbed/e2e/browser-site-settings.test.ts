// The parts of a site's page where it is changed: that what is typed arrives, and that none of it is ever lost.
import type { Browser, Page } from '@playwright/test'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteAllSites, openBrowser, type Visitor } from '../src/browser.ts'
import { expectOn } from '../src/expect-on.ts'
import { type Gallery, openGallery, people } from '../src/gallery.ts'
import type { Panel } from '../src/panel.ts'
import { enter, openPart } from '../src/screens.ts'
import { visit } from '../src/visitor.ts'

let gallery: Gallery
let panel: Panel
let browser: Browser
let php: Site
let files: Site
let visitor: Visitor
let page: Page

// Applying a change takes seconds when other tests have the processor.
const patience = { timeout: 60_000 }

beforeAll(async () => {
  gallery = await openGallery()
  panel = await gallery.reeve.panel()
  php = await panel.createSite({ domain: 'settings.example.com', type: 'php' })
  files = await panel.createSite({ domain: 'files.example.com', type: 'static' })
  await gallery.addPeople(panel, [php.id])
  browser = await openBrowser()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(panel)
  await gallery[Symbol.asyncDispose]()
}, 120_000)

afterEach(async () => {
  const { problems } = visitor
  await page.context().close()
  expect(problems).toEqual([])
})

async function enterAs(person?: { email: string; password: string }): Promise<void> {
  visitor = await enter(browser, gallery.reeve.origin, person)
  page = visitor.page
}

const tabs = () => page.getByRole('navigation', { name: 'Parts of this site' })
const saveBar = () => page.getByRole('region', { name: 'Unsaved changes' })
const save = () => page.getByRole('button', { name: 'Save changes' }).click()
async function saved(site: Site): Promise<void> {
  await expectOn(saveBar()).toHaveCount(0, patience)
  await page.getByText(`${site.domain} is served as you set it.`).first().waitFor()
}
const siteNow = async (id: string) => (await panel.call<Site>('GET', `/api/sites/${id}`)).body

// A string, because it runs in the page: this package is compiled without the types of the DOM.
const selection =
  '((area) => area.value?.slice(area.selectionStart, area.selectionEnd))(document.activeElement)'

/** Somebody else's change, until it is through. */
async function configure(id: string, body: unknown): Promise<void> {
  const answer = await panel.call<{ task: Task }>('PUT', `/api/sites/${id}/config`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  expect((await panel.taskEnd(answer.body.task.id)).error).toBeNull()
}

/** As it was made, also when a test is run again. */
const reset = () => configure(php.id, { aliases: [], redirects: [], hsts: false, nginx_snippet: null })

const open = (site: Site, part: string) => openPart(page, site, part)

describe('the parts of a site', () => {
  beforeEach(() => enterAs())

  it('are reached with the keyboard, each at an address of its own, and only those the type has', async () => {
    await open(php, '')
    const names = ['Overview', 'Configuration', 'PHP', 'Certificate', 'Cache', 'Cron', 'Access', 'Logs']
    await expectOn(tabs().getByRole('link')).toHaveText(names)
    await tabs().getByRole('link', { name: 'Overview' }).focus()
    for (const name of names.slice(1)) {
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      const link = tabs().getByRole('link', { name })
      await expectOn(link).toHaveAttribute('aria-current', 'page')
      await expectOn(link).toBeFocused()
      await page.waitForURL(`**/sites/${php.id}/${name === 'Configuration' ? 'config' : name.toLowerCase()}`)
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to or create' }).waitFor()
    await page.keyboard.type('cron of')
    await page.getByRole('option', { name: `Cron of ${php.domain}` }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/sites/${php.id}/cron`)
    await open(files, 'php')
    await page.getByText('A site of type Static has no PHP.').waitFor()
    await expectOn(tabs().getByRole('link', { name: 'PHP' })).toHaveCount(0)
    await page.getByRole('link', { name: 'Back to the site' }).click()
    await page.getByRole('heading', { name: 'Recent tasks of this site' }).waitFor()
  })

  it('are within sight on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await open(php, 'logs')
    await expectOn(tabs().getByRole('link', { name: 'Logs' })).toBeInViewport({ ratio: 1 })
    await open(php, '')
    await expectOn(tabs().getByRole('link', { name: 'Overview' })).toBeInViewport({ ratio: 1 })
  })
})

describe('the configuration', () => {
  let made = 0

  beforeEach(() => enterAs())

  it('is saved in one go, with the task in place, and served', async () => {
    await reset()
    await open(php, 'config')
    await page.getByText('Only those of which the application says how long').waitFor()
    await expectOn(page.getByLabel('Kept for')).toHaveCount(0)
    await page.getByLabel('Aliases').fill('www.settings.example.com')
    await page.getByRole('button', { name: 'Add redirect' }).click()
    await expectOn(page.getByLabel('From')).toBeFocused()
    await page.keyboard.type('/old-page')
    await page.getByLabel('To', { exact: true }).fill('/new-page')
    await page.getByLabel('Strict transport security').check()
    await page.getByText('visitors cannot open the site at all').waitFor()
    await page.getByLabel('Strict transport security').uncheck()
    await expectOn(saveBar()).toContainText('Not saved yet: aliases, redirects')
    await save()
    await saved(php)
    await expectOn(saveBar()).toHaveCount(0)
    await expectOn(page.getByLabel('From')).toHaveValue('/old-page')
    await page.getByRole('link', { name: 'Details' }).waitFor()
    const answer = await visit('www.settings.example.com', {
      port: gallery.reeve.httpsPort,
      path: '/old-page',
    })
    expect(answer.status).toBe(301)
    expect(answer.headers.location).toMatch(/\/new-page$/)
  })

  it('shows a refused value beside its field and loses nothing', async () => {
    await open(php, 'config')
    await page.getByLabel('Aliases').fill('www.settings.example.com\nno_domain.example.com')
    await page.getByLabel('Ask for a password').check()
    await page.getByLabel('User name').fill('guest')
    await page.getByLabel('Password', { exact: true }).fill('a long enough password')
    await save()
    await page.getByText('“no_domain.example.com” may hold only letters, digits, hyphens and dots').waitFor()
    await expectOn(page.getByLabel('Aliases')).toBeFocused()
    await expectOn(page.getByLabel('Aliases')).toHaveValue('www.settings.example.com\nno_domain.example.com')
    await expectOn(page.getByLabel('User name')).toHaveValue('guest')
    await expectOn(page.getByLabel('Password', { exact: true })).toHaveValue('a long enough password')
    expect((await siteNow(php.id)).basic_auth).toBeNull()

    await page.getByRole('button', { name: 'Discard' }).click()
    await expectOn(saveBar()).toHaveCount(0)
    await page.getByRole('button', { name: 'Add redirect' }).click()
    await expectOn(page.getByLabel('From').last()).toBeFocused()
    await page.keyboard.type('/a')
    await save()
    const to = page.locator('input[aria-label="To"][aria-invalid=true]')
    await to.waitFor()
    await expectOn(to).toBeFocused()
  })

  it('shows what nginx says of a snippet at its line, and changes nothing', async () => {
    await reset()
    await open(php, 'config')
    const lines = ['add_header X-One 1;', 'no_such_directive on;', 'add_header X-Two 2;']
    await page.getByLabel('Directives').fill(lines.join('\n'))
    await save()
    await page
      .getByText(/[Ll]ine 2/)
      .and(page.getByText('no_such_directive'))
      .waitFor()
    await expectOn(page.getByLabel('Directives')).toBeFocused()
    await expect.poll(() => page.evaluate<string>(selection), patience).toBe('no_such_directive on;')
    expect((await siteNow(php.id)).nginx_snippet).toBeNull()

    await page.getByLabel('Directives').fill(lines.filter((line) => line.startsWith('add')).join('\n'))
    await save()
    await saved(php)
    const answer = await visit(php.domain, { port: gallery.reeve.httpsPort })
    expect(answer.headers).toMatchObject({ 'x-one': '1', 'x-two': '2' })
  })

  it('asks before unsaved changes are left', async () => {
    await open(php, 'config')
    await page.getByLabel('Never kept').fill('/account')
    await tabs().getByRole('link', { name: 'Cron' }).click()
    const dialog = page.getByRole('dialog', { name: 'Unsaved changes' })
    await dialog.getByRole('button', { name: 'Stay here' }).click()
    await expectOn(page.getByLabel('Never kept')).toHaveValue('/account')
    await tabs().getByRole('link', { name: 'Cron' }).click()
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await expectOn(tabs().getByRole('link', { name: 'Cron' })).toHaveAttribute('aria-current', 'page')
  })

  it('announces what somebody else saves meanwhile, and keeps what is typed', async () => {
    await configure(php.id, { hsts: false, cache: { bypass_paths: [] } })
    await open(php, 'config')
    await page.getByLabel('Never kept').fill('/mine')
    await configure(php.id, { hsts: true })
    await page.getByText('Changed by somebody else meanwhile').waitFor(patience)
    await expectOn(page.getByLabel('Strict transport security')).toBeChecked()
    await expectOn(page.getByLabel('Never kept')).toHaveValue('/mine')
    await page.getByRole('button', { name: 'Understood' }).click()

    await configure(php.id, { cache: { bypass_paths: ['/theirs'] }, hsts: false })
    await page.getByText('both changed: pages never kept').waitFor(patience)
    await expectOn(page.getByLabel('Never kept')).toHaveValue('/mine')
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await expectOn(page.getByLabel('Never kept')).toHaveValue('/theirs')
    await expectOn(saveBar()).toHaveCount(0)
  })

  it('keeps what is typed when the change fails on the way and is taken back', async () => {
    await configure(php.id, { cache: { bypass_paths: [] } })
    await open(php, 'config')
    await page.getByLabel('Never kept').fill('/kept')
    gallery.arm('site.apply.web-server:after:error')
    await save()
    await page.getByText('The change was taken back').waitFor(patience)
    await expectOn(page.getByLabel('Never kept')).toHaveValue('/kept')
    expect((await siteNow(php.id)).cache.bypass_paths).not.toContain('/kept')
    await save()
    await saved(php)
    expect((await siteNow(php.id)).cache.bypass_paths).toEqual(['/kept'])
  })

  it('waits with what is typed while the agent is away', async () => {
    await open(php, 'config')
    await page.getByLabel('Never kept').fill(`/later-${++made}`)
    const agent = gallery.reeve.pid('agent')
    process.kill(agent, 'SIGSTOP')
    try {
      await save()
      await page.getByText('The server agent is not running.').first().waitFor(patience)
      await expectOn(page.getByRole('button', { name: 'Save changes' })).toHaveAttribute(
        'aria-disabled',
        'true',
      )
      await expectOn(page.getByLabel('Never kept')).toHaveValue(`/later-${made}`)
    } finally {
      process.kill(agent, 'SIGCONT')
    }
    await page
      .getByText('The server agent is not running.')
      .first()
      .waitFor({ ...patience, state: 'detached' })
    await save()
    await saved(php)
    expect((await siteNow(php.id)).cache.bypass_paths).toEqual([`/later-${made}`])
  })
})

describe('PHP', () => {
  let made = 0

  beforeEach(() => enterAs())

  it('takes limits and workers, with the warning that goes with too many', async () => {
    const memory = 128 + ++made
    await open(php, 'php')
    await page.getByLabel('Memory a request').fill(String(memory))
    await page.getByLabel('A number of my own').check()
    await page.getByLabel('Number of workers').fill('190')
    await page.getByText('Raising this without measuring').waitFor()
    await expectOn(saveBar()).toContainText('memory, workers')
    await save()
    await saved(php)
    await page.getByText(/190 workers are more than the \d+ that fit/).waitFor()
    const changed = await siteNow(php.id)
    expect(changed.php_limits.memory_limit_mb).toBe(memory)
    expect(changed.php_workers).toBe(190)

    await page.getByLabel('As many as the memory budget allows').check()
    await save()
    await saved(php)
    await expectOn(page.getByLabel('As many as the memory budget allows')).toBeChecked()
    expect((await siteNow(php.id)).php_workers).toBeLessThan(190)
  })
})

describe('those who may do less', () => {
  it('an operator configures the site, without a snippet', async () => {
    await enterAs(people.operator)
    await open(php, 'config')
    await page.getByLabel('Aliases').waitFor()
    await expectOn(page.getByLabel('Directives')).toHaveCount(0)
    const isOn = await page.getByLabel('Strict transport security').isChecked()
    await page.getByLabel('Strict transport security').setChecked(!isOn)
    await save()
    await saved(php)
  })

  it('a reader sees every value and can change none', async () => {
    await enterAs(people.readonly)
    for (const [part, label] of [
      ['config', 'Aliases'],
      ['php', 'Memory a request'],
    ] as const) {
      await open(php, part)
      await page.getByRole('main').getByText('Your account is read only.').filter({ visible: true }).waitFor()
      await expectOn(page.getByLabel(label)).toBeDisabled()
    }
    await expectOn(page.getByLabel('Directives')).toHaveCount(0)
  })
})
