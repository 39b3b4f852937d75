import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  deleteAllSites,
  newVisitor,
  openBrowser,
  overflowsSideways,
  type Visitor,
} from '../src/browser.ts'
import {
  emptyScreens,
  type Exhibits,
  type Gallery,
  isOn,
  loginScreen,
  openGallery,
  type Screen,
  screens,
  setupScreen,
  signIn,
  themes,
  widths,
} from '../src/screens.ts'

const layouts = ['wide', 'phone'] as const

let gallery: Gallery
let browser: Browser
let visitor: Visitor

beforeAll(async () => {
  gallery = await openGallery()
  browser = await openBrowser()
  const origin = `http://127.0.0.1:${gallery.reeve.port}`
  visitor = await newVisitor(browser, origin, { reducedMotion: 'reduce' })
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(await gallery.reeve.panel())
  await gallery[Symbol.asyncDispose]()
}, 60_000)

/** Everything axe and the ruler find on the screens, in both themes, on a desk and on a phone. */
async function examine(shown: readonly Screen[], exhibits: Exhibits | undefined): Promise<string[]> {
  const { page } = visitor
  const found: string[] = []
  for (const layout of layouts) {
    await page.setViewportSize({ width: widths[layout], height: 900 })
    for (const screen of shown.filter((candidate) => isOn(candidate, layout))) {
      // Screens of an empty server ask for no exhibit.
      await screen.show(page, exhibits as Exhibits)
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme })
        const problems = await accessibilityProblems(page)
        found.push(...problems.map((problem) => `${screen.name}, ${layout}, ${colorScheme}: ${problem}`))
      }
      if (await overflowsSideways(page)) found.push(`${screen.name}, ${layout}: scrolls sideways`)
    }
  }
  return found
}

describe('every screen and dialog meets WCAG 2.2 AA by axe, in both themes, wide and narrow', () => {
  it('before the setup, at the door and on an empty server', async () => {
    expect(await examine([setupScreen], undefined)).toEqual([])
    await gallery.reeve.panel()
    expect(await examine([loginScreen], undefined)).toEqual([])
    await signIn(visitor.page)
    expect(await examine(emptyScreens, undefined)).toEqual([])
    expect(visitor.problems).toEqual([])
  })

  it('with sites, tasks and a failure', async () => {
    const panel = await gallery.reeve.panel()
    const sites = await gallery.furnish(panel)
    const failed = await gallery.fail(panel)
    expect(await examine(screens, { ...sites, failed })).toEqual([])
    expect(visitor.problems).toEqual([])
  })
})
