import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteAllSites, newVisitor, openBrowser, type Visitor } from '../src/browser.ts'
import { examine } from '../src/examine.ts'
import { type Gallery, openGallery } from '../src/gallery.ts'
import { emptyScreens, type Exhibits, loginScreen, screens, setupScreen, signIn } from '../src/screens.ts'
import { siteScreens } from '../src/site-screens.ts'

// Axe takes seconds for each look when other tests have the processor.
const patienceMs = 600_000

let gallery: Gallery
let browser: Browser
let visitor: Visitor
// Made once, also when a test is run again.
let sites: Pick<Exhibits, 'site' | 'done'> | undefined
let failed: Exhibits['failed'] | undefined

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

describe('every screen and dialog meets WCAG 2.2 AA by axe, in both themes, wide and narrow', () => {
  it('before the setup, at the door and on an empty server', { timeout: patienceMs }, async () => {
    expect(await examine(visitor.page, [setupScreen])).toEqual([])
    await gallery.reeve.panel()
    expect(await examine(visitor.page, [loginScreen])).toEqual([])
    await signIn(visitor.page)
    expect(await examine(visitor.page, emptyScreens)).toEqual([])
    expect(visitor.problems).toEqual([])
  })

  it(
    'with sites, tasks and a failure',
    async () => {
      const panel = await gallery.reeve.panel()
      sites ??= await gallery.furnish(panel)
      failed ??= await gallery.fail(panel)
      expect(await examine(visitor.page, screens, { ...sites, failed })).toEqual([])
      expect(visitor.problems).toEqual([])
    },
    patienceMs,
  )

  it(
    'in every part of a site, and what goes with them',
    async () => {
      const panel = await gallery.reeve.panel()
      sites ??= await gallery.furnish(panel)
      failed ??= await gallery.fail(panel)
      expect(await examine(visitor.page, siteScreens, { ...sites, failed })).toEqual([])
      expect(visitor.problems).toEqual([])
    },
    patienceMs,
  )
})
