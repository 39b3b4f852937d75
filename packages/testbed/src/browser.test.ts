// Whether the judge of the screens sees anything at all.
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, openBrowser, overflowsSideways } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

async function pageWith(body: string) {
  const page = await browser.newPage()
  const head = '<meta charset="utf-8"><title>Page</title>'
  await page.goto(`data:text/html,${encodeURIComponent(`<!doctype html><html lang="en">${head}${body}`)}`)
  return page
}

it('finds what one theme alone gets wrong, whichever is looked at first', async () => {
  const page = await pageWith(`<style>
    body { background: #fff; color: #111 }
    @media (prefers-color-scheme: dark) { body { background: #222 } h1 { color: #eee } }
  </style><main><h1>Heading</h1><p>Text</p></main>`)
  for (const colorScheme of ['light', 'dark', 'light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const problems = await accessibilityProblems(page)
    expect(problems).toEqual(
      colorScheme === 'light' ? [] : [expect.stringMatching(/color-contrast.*<p>Text/)],
    )
  }
})

it('finds what has no name, and names the element', async () => {
  const page = await pageWith('<main><h1>Heading</h1><input id="nameless"><img src="data:,"></main>')
  const problems = await accessibilityProblems(page)
  expect(problems).toEqual([
    expect.stringMatching(/image-alt.*<img/),
    expect.stringMatching(/label.*id="nameless"/),
  ])
})

it('finds what is wider than the window', async () => {
  expect(await overflowsSideways(await pageWith('<main><p>Text</p></main>'))).toBe(false)
  expect(await overflowsSideways(await pageWith('<main style="width: 3000px">Text</main>'))).toBe(true)
})

it('does not pass over a frame in silence', async () => {
  const page = await pageWith('<main><iframe title="Frame" src="data:text/html,text"></iframe></main>')
  await expect(accessibilityProblems(page)).rejects.toThrow(/has frames/)
})
