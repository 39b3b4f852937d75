// A file that somebody edited by hand, as the panel shows it and lets a person decide.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, deleteAllSites, openBrowser } from '../src/browser.ts'
import { expectOn } from '../src/expect-on.ts'
import { type Gallery, openGallery, people } from '../src/gallery.ts'
import type { Panel } from '../src/panel.ts'
import { enter, themes } from '../src/screens.ts'

const patience = { timeout: 60_000 }

let gallery: Gallery
let panel: Panel
let browser: Browser
let site: Site
let vhost: string

beforeAll(async () => {
  gallery = await openGallery()
  panel = await gallery.reeve.panel()
  site = await panel.createSite({ domain: 'drift.example.com', type: 'static' })
  await gallery.addPeople(panel, [site.id])
  vhost = join(gallery.reeve.root, 'etc/nginx/sites-enabled', `${site.domain}.conf`)
  browser = await openBrowser()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(panel)
  await gallery[Symbol.asyncDispose]()
}, 120_000)

const inOrder = 'Every file the panel wrote is as the panel wrote it.'

/** An edit by hand, as an administrator's editor leaves it. */
function edit(line: string): void {
  const text = readFileSync(vhost, 'utf8')
  // The last block is that of the pages, whatever it holds.
  expect(text.endsWith('}\n')).toBe(true)
  writeFileSync(vhost, text.replace(/}\n$/, `  ${line}\n}\n`))
}

it('shows what differs, keeps an edit, and discards another', async () => {
  const { page, problems } = await enter(browser, gallery.reeve.origin)
  await page.goto('/drift')
  await page.getByText(inOrder).waitFor(patience)

  edit('add_header X-Kept "<b>1</b>";')
  await page.reload()
  const item = page.getByRole('listitem').filter({ hasText: `${site.domain}.conf` })
  await item.getByText('Edited', { exact: true }).waitFor(patience)
  const diff = item.getByRole('region', { name: /What differs/ })
  await expectOn(diff).toContainText('+')
  await expectOn(diff).toContainText('add_header X-Kept "<b>1</b>";')
  await item.getByRole('link', { name: site.domain }).waitFor()
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityProblems(page)).toEqual([])
  }
  await item.getByRole('button', { name: 'Keep the edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keep the edit' })
  await dialog.getByText('Later changes of the configuration are merged into it').waitFor()
  await dialog.getByRole('button', { name: 'Yes, keep the edit' }).click()
  await page.getByText(inOrder).waitFor(patience)
  expect(readFileSync(vhost, 'utf8')).toContain('X-Kept')

  edit('add_header X-Gone 1;')
  await page.reload()
  await item.getByRole('button', { name: 'Discard the edit' }).click(patience)
  await page.getByText('The edit is kept aside for 14 days.').waitFor()
  await page.getByRole('button', { name: 'Yes, discard the edit' }).click()
  await page.getByText(inOrder).waitFor(patience)
  expect(readFileSync(vhost, 'utf8')).not.toContain('X-Gone')
  expect(problems).toEqual([])
  await page.context().close()
})

it('is for a reader to see and for an administrator to decide; an operator has none', async () => {
  edit('add_header X-Seen 1;')
  const reader = await enter(browser, gallery.reeve.origin, people.readonly)
  await reader.page.goto('/drift')
  const keep = reader.page.getByRole('button', { name: 'Keep the edit' })
  await expectOn(keep).toHaveAttribute('aria-disabled', 'true', patience)
  await reader.page.getByText('Only an administrator can do this.').first().waitFor({ state: 'attached' })
  expect(reader.problems).toEqual([])
  await reader.page.context().close()

  const operator = await enter(browser, gallery.reeve.origin, people.operator)
  await operator.page.goto('/drift')
  await operator.page.getByRole('heading', { name: 'Not allowed' }).waitFor()
  await expectOn(operator.page.getByRole('link', { name: 'Drift' })).toHaveCount(0)
  await operator.page.goto('/logs')
  await operator.page
    .getByText(/may not|not allowed/i)
    .first()
    .waitFor()
  await operator.page.context().close()
})
