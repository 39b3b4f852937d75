// The first hour of a person with a new panel, in Chromium: from the setup link to a published post, and away again.
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newVisitor, openBrowser, type Visitor } from '../src/browser.ts'
import { administrator, type Host, siteOrigin } from '../src/host.ts'
import type { Panel } from '../src/panel.ts'
import { findTraces } from '../src/slate.ts'
import { publishPost } from '../src/wordpress-admin.ts'

const domain = 'first.example.com'
const waiting = { timeout: 20_000 }
const editor = { user: 'editor', password: 'a long enough password' }

/** `setupLink` answers what the start or the installer printed. */
export function firstSite(hostOf: () => Host & { setupLink(): string }): void {
  let host: Host & { setupLink(): string }
  let browser: Browser
  let owner: Visitor

  beforeAll(async () => {
    host = hostOf()
    browser = await openBrowser(host.https.address)
    owner = await newVisitor(browser, host.origin)
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
  })

  it('leads from the setup link to a published post, and away without a trace', async () => {
    const { page, problems } = owner
    await setUp(page, host.setupLink())
    await createWordpress(page)
    const { id, system_user: systemUser } = await siteOf(page, await host.panel())
    const address = siteOrigin(host, domain)

    expect(await cacheState(browser, address)).toBe('MISS')
    await expect.poll(() => cacheState(browser, address), waiting).toBe('HIT')
    const site = await newVisitor(browser, host.origin)
    await signInToWordpress(site.page, address)
    const post = await publishPost(site.page, address, {
      title: 'Written in the browser',
      text: 'The first words.',
    })
    await readSignedOut(browser, post)
    await site.page.context().close()

    await deleteSite(page)
    expect(findTraces(host.root, { domain, id, systemUser })).toEqual([])
    expect(problems).toEqual([])
  })
}

async function setUp(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('heading', { name: 'Create the owner account' }).waitFor()
  await expect.poll(() => page.getByLabel('Setup token').inputValue(), waiting).not.toBe('')
  // The token is in no address bar, history entry or screenshot.
  await expect.poll(() => page.url(), waiting).not.toContain('token')
  await page.getByLabel('E-mail').fill(administrator.email)
  await page.getByLabel('Password', { exact: true }).fill(administrator.password)
  await page.getByLabel('Repeat the password').fill(administrator.password)
  await page.getByRole('button', { name: 'Create account and sign in' }).click()
  await page.getByRole('heading', { name: 'This server is ready for its first site' }).waitFor()
}

async function createWordpress(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'New site' }).first().click()
  await page.getByLabel('Domain').fill(domain)
  await page.getByRole('radio', { name: /^WordPress/ }).check()
  await page.getByLabel('User name').fill(editor.user)
  await page.getByLabel('Password', { exact: true }).fill(editor.password)
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.getByText(`${domain} is ready`).waitFor({ timeout: 60_000 })
  await page
    .getByRole('link', { name: 'Visit' })
    .and(page.locator(`[href*="${domain}"]`))
    .waitFor()
}

async function siteOf(page: Page, panel: Panel): Promise<{ id: string; system_user: string | null }> {
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  return (await panel.call<{ id: string; system_user: string | null }>('GET', `/api/sites/${id}`)).body
}

/** What the page cache says to a person who was never here before. */
async function cacheState(browser: Browser, address: string): Promise<string | undefined> {
  const { page } = await newVisitor(browser, address)
  const answer = await page.goto('/')
  expect(answer?.status()).toBe(200)
  await page.context().close()
  return answer?.headers()['x-cache']
}

async function signInToWordpress(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/wp-login.php`)
  await page.locator('#user_login').fill(editor.user)
  await page.locator('#user_pass').fill(editor.password)
  await page.locator('#wp-submit').click()
  await page.getByRole('heading', { name: 'Dashboard', exact: true }).waitFor()
}

async function readSignedOut(browser: Browser, post: string): Promise<void> {
  const { page } = await newVisitor(browser, new URL(post).origin)
  await page.goto(post)
  await page.getByRole('heading', { name: 'Written in the browser', level: 1 }).waitFor()
  await page.getByText('The first words.').waitFor()
  await page.context().close()
}

async function deleteSite(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete site' }).click()
  const dialog = page.getByRole('dialog', { name: `Delete ${domain}` })
  await dialog.getByLabel(`Type ${domain} to confirm`).fill('another.example.com')
  await dialog.getByRole('button', { name: 'Delete site' }).click()
  await dialog.getByText('What you typed is not the domain.').waitFor()
  await dialog.getByLabel(`Type ${domain} to confirm`).fill(domain)
  await dialog.getByRole('button', { name: 'Delete site' }).click()
  await page.waitForURL('**/sites')
  await page.getByText('No site is on this server yet.').waitFor()
}
