import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteAllSites, newVisitor, openBrowser } from '../src/browser.ts'
import type { Panel } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { signIn } from '../src/screens.ts'

let reeve: Reeve
let panel: Panel
let browser: Browser
let origin: string

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  browser = await openBrowser()
  origin = `http://127.0.0.1:${reeve.port}`
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(panel)
  await reeve[Symbol.asyncDispose]()
}, 60_000)

describe('with the keyboard alone', () => {
  it('creates a site from the palette and deletes it, with the focus always visible', async () => {
    const { page, problems } = await newVisitor(browser, origin)
    await signIn(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to or create' }).waitFor()
    await page.keyboard.type('new site')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New site' }).waitFor()
    await page.keyboard.type('keys.example.com')
    await tabTo(page, 'type')
    // WordPress, WooCommerce, PHP, Laravel, static.
    for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight')
    await tabTo(page, 'Create site')
    await page.keyboard.press('Enter')
    await page.getByText('keys.example.com is ready').waitFor()
    // The shop's profile, passed on the way to Static, did not stay.
    await page.getByText('Balanced').waitFor()

    await tabTo(page, 'Delete site')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Delete keys.example.com' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // Escape gave the focus back to the button.
    await expect.poll(async () => (await focused(page)).name).toBe('Delete site')
    await page.keyboard.press('Enter')
    await page.keyboard.type('keys.example.com')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sites')
    await page.getByText('No site is on this server yet.').waitFor()
    expect(problems).toEqual([])
  })

  it('moves to the refused field, which may be a screen away from the button', async () => {
    const { page } = await newVisitor(browser, origin, { viewport: { width: 390, height: 844 } })
    await signIn(page)
    await page.goto('/sites/new')
    await page.getByLabel('Domain').fill('not a domain')
    await page.getByRole('button', { name: 'Create site' }).click()
    await page.locator('input[name=domain][aria-invalid=true]').waitFor()
    expect(await focused(page)).toMatchObject({ name: 'domain', isInView: true })
  })
})

describe('hostile text', () => {
  const image = '<img src=x onerror="document.title=\'taken over\'">'

  it('in an address, a query or a form runs nothing', async () => {
    const { page, problems } = await newVisitor(browser, origin)
    await signIn(page)
    const text = encodeURIComponent(image)
    await page.goto(`/sites/new?again=${text}`)
    await page.getByRole('heading', { name: 'New site' }).waitFor()
    expect(await wasTakenOver(page)).toBe(false)
    for (const path of [`/${text}`, `/sites/${text}`, `/tasks/${text}`]) {
      const answer = await page.request.get(path)
      expect(answer.status(), path).toBe(404)
      expect(answer.headers()['content-type'], path).toContain('application/json')
      expect(await answer.text(), path).not.toContain('onerror')
    }
    await page.goto('/sites')
    await page.getByRole('button', { name: 'Search or jump to' }).click()
    await page.getByRole('combobox', { name: 'Go to or create' }).fill(image)
    await page.getByText(`Nothing matches “${image}”.`).waitFor()
    expect(await wasTakenOver(page)).toBe(false)
    expect(problems).toEqual([])
  })
})

async function wasTakenOver(page: Page): Promise<boolean> {
  const planted = await page.locator('img[src="x"]').count()
  return planted > 0 || (await page.title()) === 'taken over'
}

interface Focused {
  name: string
  isInView: boolean
  isOutlined: boolean
}

async function focused(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(`(() => {
    const element = document.activeElement
    const shown = element.closest('label') ?? element
    const box = shown.getBoundingClientRect()
    const style = getComputedStyle(shown)
    return {
      name: element.name || element.getAttribute('aria-label') || element.textContent.trim(),
      isInView: box.top >= 0 && box.bottom <= innerHeight,
      isOutlined: style.outlineStyle !== 'none' && style.outlineWidth !== '0px',
    }
  })()`)
}

/** Presses Tab until the control with this name has the focus; every stop on the way must be visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    expect(at, `focus on ${at.name}`).toMatchObject({ isInView: true, isOutlined: true })
    if (at.name === name) return
    passed.push(at.name)
  }
  throw new Error(`Tab does not reach ${name}; it passed ${passed.join(', ')}`)
}
