// Pictures of every screen at three widths in both themes: `node packages/testbed/src/screenshots.ts <directory>`.
// docs/screenshots holds those that the documents show.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { deleteAllSites, newVisitor, openBrowser } from './browser.ts'
import { openGallery } from './gallery.ts'
import {
  emptyScreens,
  type Exhibits,
  isOn,
  loginScreen,
  type Screen,
  screens,
  setupScreen,
  signIn,
  themes,
  widths,
} from './screens.ts'
import { siteScreens } from './site-screens.ts'

const directory = resolve(process.argv[2] ?? 'screenshots')
const heights = { wide: 900, tablet: 1024, phone: 844 } as const
const layouts = ['wide', 'tablet', 'phone'] as const

async function take(page: Page, shown: readonly Screen[], exhibits?: Exhibits): Promise<void> {
  for (const layout of layouts) {
    await page.setViewportSize({ width: widths[layout], height: heights[layout] })
    for (const screen of shown.filter((candidate) => isOn(candidate, layout))) {
      // Screens of an empty server ask for no exhibit.
      await screen.show(page, exhibits as Exhibits)
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme })
        const name = `${screen.name}-${widths[layout]}-${colorScheme}.png`
        await page.screenshot({ path: join(directory, name), animations: 'disabled' })
      }
    }
  }
}

/** The picture of the README: nothing needs anybody. */
async function takeOverview(page: Page): Promise<void> {
  await page.setViewportSize({ width: widths.wide, height: heights.wide })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/')
  await page.getByText('All 4 sites are healthy').waitFor()
  await page.screenshot({ path: join(directory, 'overview.png'), animations: 'disabled' })
}

/** The pictures are published: the name of the machine they were taken on is not part of them. */
async function hideHostname(page: Page): Promise<void> {
  await page.route('**/api/bootstrap', async (route) => {
    const answer = await route.fetch()
    const body: object = await answer.json()
    await route.fulfill({ response: answer, json: { ...body, hostname: 'server.example.com' } })
  })
}

mkdirSync(directory, { recursive: true })
await using gallery = await openGallery()
const browser = await openBrowser()
try {
  const origin = `http://127.0.0.1:${gallery.reeve.port}`
  const { page } = await newVisitor(browser, origin, { reducedMotion: 'reduce' })
  await hideHostname(page)
  await take(page, [setupScreen])
  const panel = await gallery.reeve.panel()
  await take(page, [loginScreen])
  await signIn(page)
  await take(page, emptyScreens)
  const sites = await gallery.furnish(panel)
  await takeOverview(page)
  await take(page, [...screens, ...siteScreens], { ...sites, failed: await gallery.fail(panel) })
  console.log(`The pictures are in ${directory}.`)
} finally {
  await browser.close()
  await deleteAllSites(await gallery.reeve.panel())
}
