import type { Browser, Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteAllSites, newVisitor, openBrowser, type Visitor } from '../src/browser.ts'
import { type Failpoints, openFailpoints } from '../src/failpoints.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { administrator, type Reeve, startReeve } from '../src/reeve.ts'
import { signIn } from '../src/screens.ts'

let failpoints: Failpoints
let reeve: Reeve
let panel: Panel
let browser: Browser
let origin: string
let visitor: Visitor
let page: Page

beforeAll(async () => {
  failpoints = openFailpoints()
  reeve = await startReeve({ env: failpoints.env })
  browser = await openBrowser()
  origin = `http://127.0.0.1:${reeve.port}`
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(panel)
  await reeve[Symbol.asyncDispose]()
  failpoints[Symbol.dispose]()
}, 60_000)

afterEach(async () => {
  const { problems } = visitor
  await page.context().close()
  expect(problems).toEqual([])
})

describe('before the setup', () => {
  beforeEach(enter)

  it('leads every address to the setup, and says where the right token is when one is wrong', async () => {
    await page.goto('/tasks')
    await page.getByRole('heading', { name: 'Create the owner account' }).waitFor()
    await page.getByLabel('Setup token').fill('not-the-token')
    await page.getByLabel('E-mail').fill(administrator.email)
    await page.getByLabel('Password', { exact: true }).fill(administrator.password)
    await page.getByLabel('Repeat the password').fill('something else')
    await page.getByRole('button', { name: 'Create account and sign in' }).click()
    await page.getByText('The two passwords differ.').waitFor()
    await page.getByLabel('Repeat the password').fill(administrator.password)
    await page.getByRole('button', { name: 'Create account and sign in' }).click()
    await page.locator('[aria-invalid="true"]').and(page.getByLabel('Setup token')).waitFor()
    await page.getByText(/reeve setup-token/).waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe(administrator.email)
  })
})

describe('signed in', () => {
  beforeEach(async () => {
    panel ??= await reeve.panel()
    await enter()
    await signIn(page)
  })

  it('says that an address leads nowhere, with a way back', async () => {
    for (const path of ['/nowhere', '/sites/saaaaaaaaaaaaaaa', '/tasks/taaaaaaaaaaaaaaa']) {
      await page.goto(path)
      await page.getByRole('heading', { name: 'Not found' }).waitFor()
      await page.getByRole('link', { name: 'Back to sites' }).click()
      await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    }
  })

  it('lets a site that was deleted halfway only be deleted again, and says why', async () => {
    const site = await panel.createSite({ ...wordpressFields, domain: 'half.example.com' })
    failpoints.arm('site.remove.database:before:error')
    expect((await panel.deleteSite(site.id)).state).toBe('failed')
    await page.goto(`/sites/${site.id}/config`)
    await page.getByText(/Deleting it did not finish\. .* Delete it again\./).waitFor()
    const ways = page.locator(`a[href^="/sites/${site.id}/"], a[href*="${site.domain}"]`)
    expect(await ways.evaluateAll((links) => links.map((link) => link.textContent))).toEqual([])
    expect(await page.getByRole('textbox').count()).toBe(0)
    await page.getByRole('button', { name: 'Delete site' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill(site.domain)
    await dialog.getByRole('button', { name: 'Delete site' }).click()
    await expect.poll(async () => (await panel.call('GET', `/api/sites/${site.id}`)).status).toBe(404)
  })

  it('returns to the page asked for after signing in, and never to another origin', async () => {
    await page.context().clearCookies()
    await page.goto('/tasks')
    await page.waitForURL('**/login?next=%2Ftasks')
    await fillSignIn(page)
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    for (const next of ['//evil.example.com', 'https://evil.example.com/', '/\\evil.example.com']) {
      await page.context().clearCookies()
      await page.goto(`/login?next=${encodeURIComponent(next)}`)
      await fillSignIn(page)
      await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
      expect(new URL(page.url()).origin).toBe(origin)
    }
  })

  it('shows a refused value beside its field and keeps what was typed', async () => {
    await page.goto('/sites/new')
    const domain = page.getByLabel('Domain')
    await domain.fill('192.0.2.1')
    await page.getByLabel('User name').fill('somebody')
    await page.getByRole('button', { name: 'Create site' }).click()
    await page.locator('input[name=domain][aria-invalid=true]').waitFor()
    const [errorId] = (await domain.getAttribute('aria-describedby'))?.split(' ') ?? []
    expect(await page.locator(`[id="${errorId}"]`).textContent()).not.toBe('')
    expect(await domain.inputValue()).toBe('192.0.2.1')
    expect(await page.getByLabel('User name').inputValue()).toBe('somebody')
  })

  it('looks but does not change while the agent is down, says why, and recovers by itself', async () => {
    const site = await panel.createSite({ domain: 'agent.example.com', type: 'static' })
    await page.goto('/sites/new')
    await page.getByLabel('Domain').fill('kept.example.com')
    await page.locator('label', { hasText: 'Static' }).click()
    const agent = reeve.pid('agent')
    process.kill(agent, 'SIGSTOP')
    try {
      await page.getByRole('button', { name: 'Create site' }).click()
      await page.getByText('The server agent is not running.').first().waitFor()
      await expectReason(page, 'Create site', 'The server agent is not running, so nothing can be changed.')
      expect(await page.getByLabel('Domain').inputValue()).toBe('kept.example.com')
      await page.getByRole('link', { name: 'Sites', exact: true }).first().click()
      await page.getByRole('button', { name: 'Discard changes' }).click()
      // Looking goes on working.
      await page.getByRole('link', { name: site.domain, exact: true }).click()
      await expectReason(page, 'Delete site', 'The server agent is not running, so nothing can be changed.')
    } finally {
      process.kill(agent, 'SIGCONT')
    }
    await page.getByText('The server agent is not running.').first().waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Delete site' }).getAttribute('aria-disabled')).toBeNull()
    await panel.deleteSite(site.id)
  })

  it('says when live updates are lost, and shows what happened meanwhile once they are back', async () => {
    await page.goto('/sites')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.route('**/api/events', (route) => route.abort())
    process.kill(reeve.pid('api'), 'SIGKILL')
    await page.getByText('Live updates lost, retrying').waitFor()
    await page.getByText(/as of \d/).waitFor()
    const site = await panelIsBack(() =>
      panel.createSite({ domain: 'meanwhile.example.com', type: 'static' }),
    )
    await page.unroute('**/api/events')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('link', { name: site.domain, exact: true }).waitFor()
    await panel.deleteSite(site.id)
    await page.getByRole('link', { name: site.domain, exact: true }).waitFor({ state: 'detached' })
  })

  it('asks to sign in over the page when the session ends, keeps the text, and sends it again', async () => {
    await page.goto('/sites/new')
    await page.getByLabel('Domain').fill('resumed.example.com')
    await page.locator('label', { hasText: 'Static' }).click()
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create site' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password', { exact: true }).fill('not the password')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(administrator.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    // Nobody pressed "Create site" a second time.
    await page.getByText('resumed.example.com is ready').waitFor()
  })

  it('notices a session revoked elsewhere without any action, and keeps a form that events refresh', async () => {
    await page.goto('/sites/new')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByLabel('Domain').fill('unsent.example.com')
    await page.getByLabel('User name').fill('somebody')
    // Another person's work makes the page's data stale; what is being typed is not data.
    const site = await panel.createSite({ domain: 'other.example.com', type: 'static' })
    await panel.deleteSite(site.id)
    await revokeOthers()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password', { exact: true }).fill(administrator.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Domain').inputValue()).toBe('unsent.example.com')
    expect(await page.getByLabel('User name').inputValue()).toBe('somebody')
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'Unsaved changes' })
      .getByRole('button', { name: 'Stay here' })
      .click()
    expect(await page.getByLabel('Domain').inputValue()).toBe('unsent.example.com')
  })
})

async function enter(): Promise<void> {
  visitor = await newVisitor(browser, origin)
  page = visitor.page
}

async function fillSignIn(on: Page): Promise<void> {
  await on.getByLabel('E-mail').fill(administrator.email)
  await on.getByLabel('Password', { exact: true }).fill(administrator.password)
  await on.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function expectReason(on: Page, button: string, reason: string): Promise<void> {
  const disabled = on.locator('button[aria-disabled=true]', { hasText: button })
  await disabled.waitFor()
  const described = await disabled.getAttribute('aria-describedby')
  expect(await on.locator(`[id="${described}"]`).textContent()).toBe(reason)
}

/** The first answer after the API was killed may be that it is not there yet. */
async function panelIsBack<T>(act: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const answer = await fetch(`${origin}/healthz`).catch(() => undefined)
    if (answer?.ok) return act()
    if (Date.now() > deadline) throw new Error(`the API did not come back:\n${reeve.output()}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

async function revokeOthers(): Promise<void> {
  const { body } = await panel.call<{ sessions: { id: string; current: boolean }[] }>(
    'GET',
    '/api/account/sessions',
  )
  for (const session of body.sessions.filter(({ current }) => !current))
    await panel.call('DELETE', `/api/account/sessions/${session.id}`)
}
