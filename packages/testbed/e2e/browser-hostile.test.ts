// Text that wants to be more than text, in every stored field that takes it, on every page that shows it; and every
// page without a mouse.
import type { Browser, Page, Request } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newVisitor, openBrowser, type Visitor } from '../src/browser.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { administrator, type Reeve, startReeve } from '../src/reeve.ts'
import { signIn } from '../src/screens.ts'

const hostile = `"'><img src=x onerror=window.hostile=1></script><script>window.hostile=1</script>{{7*7}}`
const rightToLeft = 'a\u202egnp.exe'

let reeve: Reeve
let panel: Panel
let browser: Browser
let visitor: Visitor
let pages: string[]

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  const site = await panel.createSite({ ...wordpressFields, domain: 'hostile.example.com', title: hostile })
  await plantInAuditAndSessions()
  const { body } = await panel.call<{ tasks: { id: string }[] }>('GET', '/api/tasks')
  const tasks = body.tasks.map(({ id }) => `/tasks/${id}`)
  pages = [
    '/',
    '/sites',
    `/sites/${site.id}`,
    '/sites/new',
    '/tasks',
    ...tasks,
    '/account',
    '/users',
    '/audit',
  ]
  browser = await openBrowser()
  const origin = `http://127.0.0.1:${reeve.port}`
  visitor = await newVisitor(browser, origin, {
    reducedMotion: 'reduce',
    userAgent: `Mozilla/5.0 ${hostile}`,
  })
  await signIn(visitor.page)
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await reeve[Symbol.asyncDispose]()
}, 60_000)

/** A failed and a good sign-in with hostile headers and names; the log and the session list keep them. */
async function plantInAuditAndSessions(): Promise<void> {
  const signInAs = (email: string, password: string) =>
    fetch(`${panel.origin}/api/login`, {
      method: 'POST',
      headers: {
        origin: panel.origin,
        'content-type': 'application/json',
        'user-agent': `Mozilla/5.0 ${hostile}`,
        'x-forwarded-for': '<b>1.2.3.4</b>',
      },
      body: JSON.stringify({ email, password }),
    })
  expect((await signInAs(`${hostile}@example.com`, 'wrong password')).status).toBe(401)
  expect((await signInAs(rightToLeft, 'wrong password')).status).toBe(401)
  expect((await signInAs(administrator.email, administrator.password)).status).toBe(200)
}

const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Opens a page and waits until it shows what it asked the API for; only the event stream stays open. */
async function open(page: Page, path: string): Promise<void> {
  const waiting = new Set<Request>()
  const asks = (request: Request) => {
    if (/\/api\/(?!events)/.test(request.url())) waiting.add(request)
  }
  const ends = (request: Request) => waiting.delete(request)
  page.on('request', asks).on('requestfinished', ends).on('requestfailed', ends)
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: '…' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
  const missing = async () => waiting.size + (await page.locator('.skeleton').count())
  await expect.poll(missing, { timeout: 45_000, message: path }).toBe(0)
  await page.evaluate(twoFrames)
  page.off('request', asks).off('requestfinished', ends).off('requestfailed', ends)
}

it('the text arrived where it is to be shown', async () => {
  const audit = JSON.stringify((await panel.call('GET', '/api/audit?limit=100')).body)
  const sessions = JSON.stringify((await panel.call('GET', '/api/account/sessions')).body)
  const sites = JSON.stringify((await panel.call('GET', '/api/sites')).body)
  expect(audit).toContain('onerror=window.hostile')
  expect(sessions).toContain('onerror=window.hostile')
  expect(sites).toContain('onerror=window.hostile')
})

it('refuses text that changes its own direction where a name is stored', async () => {
  const fields = { ...wordpressFields, domain: 'rtl.example.com', title: rightToLeft }
  expect((await panel.call('POST', '/api/sites', fields)).status).toBe(400)
})

it('no page runs it, builds elements of it, or violates the policy', { timeout: 600_000 }, async () => {
  const { page, problems } = visitor
  page.on('dialog', (dialog) => {
    problems.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  for (const path of pages) {
    await open(page, path)
    expect(await page.evaluate('window.hostile'), path).toBeUndefined()
    expect(await page.locator('img[src="x"]').count(), path).toBe(0)
  }
  expect(problems).toEqual([])
})

// What a person can act on with the Tab key: one stop for a group of radio buttons, none for what is disabled or
// hidden. A string, because it runs in the page.
const stops = `(() => {
  const groups = new Set()
  const isStop = (element) => {
    if (element.disabled || element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) return false
    if (element.closest('[inert]')) return false
    if (element.type !== 'radio') return true
    const isFirst = !groups.has(element.name)
    groups.add(element.name)
    return isFirst
  }
  const found = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter(isStop)
  return found.map((element) => (element.type === 'radio' ? 'radio ' + element.name : element.outerHTML.slice(0, 120)))
})()`

const focused = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return undefined
  const style = getComputedStyle(element)
  const label = element.closest('label')
  const shown = [style, label && getComputedStyle(label)]
    .some((s) => s && ((s.outlineStyle !== 'none' && s.outlineWidth !== '0px') || s.boxShadow !== 'none'))
  const name = element.type === 'radio' ? 'radio ' + element.name : element.outerHTML.slice(0, 120)
  return { name, shown }
})()`

describe('without a mouse', () => {
  it('Tab reaches everything that can be used on every page, and the focus is always seen', {
    timeout: 600_000,
  }, async () => {
    const { page } = visitor
    for (const path of pages) {
      await open(page, path)
      const wanted = new Set(await page.evaluate<string[]>(stops))
      expect(wanted.size, path).toBeGreaterThan(5)
      const reached = new Set<string>()
      const unseen: string[] = []
      for (let press = 0; press < wanted.size * 2 + 20; press++) {
        await page.keyboard.press('Tab')
        const now = await page.evaluate<{ name: string; shown: boolean } | undefined>(focused)
        if (now && !now.shown) unseen.push(now.name)
        if (now) reached.add(now.name)
      }
      expect(
        [...wanted].filter((name) => !reached.has(name)),
        path,
      ).toEqual([])
      expect(unseen, path).toEqual([])
    }
  })
})
