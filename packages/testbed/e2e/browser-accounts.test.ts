import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newVisitor, openBrowser } from '../src/browser.ts'
import type { Panel } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { people } from '../src/gallery.ts'
import { signIn } from '../src/screens.ts'
import { totp } from '../src/totp.ts'

let reeve: Reeve
let panel: Panel
let browser: Browser

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  await panel.call('POST', '/api/users', { ...people.readonly, role: 'readonly' })
  browser = await openBrowser()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await reeve[Symbol.asyncDispose]()
}, 60_000)

const enter = () => newVisitor(browser, `http://127.0.0.1:${reeve.port}`)

async function giveCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Six-digit code').fill(code)
  // Six digits are sent without being asked.
  if (!/^\d{6}$/.test(code)) await page.getByRole('button', { name: 'Verify' }).click()
}

async function givePassword(page: Page): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(people.readonly.email)
  await page.getByLabel('Password', { exact: true }).fill(people.readonly.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Six-digit code').waitFor()
}

it('turns on the second factor from a QR code, and asks for a code in a second step from then on', async () => {
  const { page, problems } = await enter()
  await signIn(page, people.readonly)
  await page.goto('/account')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('img', { name: 'QR code that adds this account to an authenticator app' }).waitFor()
  const secret =
    (await page
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{32}$/ })
      .textContent()) ?? ''
  await page.getByLabel('Six-digit code').fill(totp(secret, -20))
  await page.getByRole('button', { name: 'Confirm and turn on' }).click()
  await page.locator('[aria-invalid="true"]').and(page.getByLabel('Six-digit code')).waitFor()
  await page.getByLabel('Six-digit code').fill(totp(secret))
  await page.getByRole('button', { name: 'Confirm and turn on' }).click()
  const list = page.getByRole('listitem').filter({ hasText: /^[a-z0-9]{5}-[a-z0-9]{5}$/ })
  await list.first().waitFor()
  const codes = await list.allTextContents()
  expect(codes).toHaveLength(10)
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('button', { name: 'Turn off' }).waitFor()

  await page.context().clearCookies()
  await givePassword(page)
  await giveCode(page, totp(secret, -20))
  await page.getByRole('alert').filter({ hasText: 'This code is not right' }).waitFor()
  // The step of the confirmation is spent; the next one is accepted early.
  await giveCode(page, totp(secret, 1))
  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()

  await page.context().clearCookies()
  await givePassword(page)
  await giveCode(page, codes[0] ?? '')
  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
  await page.context().clearCookies()
  await givePassword(page)
  await giveCode(page, codes[0] ?? '')
  await page.getByRole('alert').filter({ hasText: 'was used already' }).waitFor()
  expect(problems).toEqual([])
  await page.context().close()
})

it('shows a user that somebody else creates, changes and deletes without being asked', async () => {
  const { page, problems } = await enter()
  await signIn(page)
  await page.goto('/users')
  await page.getByText('Live', { exact: true }).waitFor()
  const user = { email: 'meanwhile@example.com', password: 'a long enough password', role: 'readonly' }
  const { body } = await panel.call<{ id: string }>('POST', '/api/users', user)
  const row = page.getByRole('listitem').filter({ hasText: user.email })
  await row.getByText('Read only').waitFor()
  await panel.call('PUT', `/api/users/${body.id}`, { role: 'admin' })
  await row.getByText('Administrator').waitFor()
  await panel.call('DELETE', `/api/users/${body.id}`)
  await row.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
  await page.context().close()
})

it('shows a session that begins and ends elsewhere without being asked', async () => {
  const { page, problems } = await enter()
  await signIn(page)
  await page.goto('/account')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('This device').waitFor()
  const ends = page.getByRole('button', { name: /^(End session|Sign out): / })
  const before = await ends.count()
  const { page: elsewhere } = await enter()
  await signIn(elsewhere)
  await ends.nth(before).waitFor()
  await elsewhere.getByRole('button', { name: /Account menu/ }).click()
  await elsewhere.getByRole('button', { name: 'Sign out' }).click()
  await ends.nth(before).waitFor({ state: 'detached' })
  expect(problems).toEqual([])
  await elsewhere.context().close()
  await page.context().close()
})
