// Where the panel shows what was planted: each page, and what must be read there before the visit counts.
import type { Page } from '@playwright/test'
import { expectOn } from '../expect-on.ts'
import { commands, type Planted, quotedEmail, snippet, userAgent } from './plant.ts'
import { markup, markupInLog, rightToLeft, writtenOut } from './texts.ts'

export interface Sight {
  path: string
  /** What a wide screen shows to an administrator. */
  shows: (page: Page) => Promise<unknown>
  /** Not shown to a reader, or not in the cards of a phone. */
  hiddenFrom?: readonly View[]
}

export type View = 'administrator' | 'reader' | 'phone'

const read = (page: Page, ...words: readonly string[]) =>
  Promise.all(
    words.map((text) => page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()),
  )

const nothing = async () => {}

/** Chooses a log and reads it. */
const log =
  (source: string, ...words: readonly string[]) =>
  async (page: Page) => {
    await page.getByRole('combobox', { name: 'Log', exact: true }).selectOption(source)
    await page.getByRole('log').waitFor()
    await read(page, ...words)
  }

async function readCron(page: Page): Promise<void> {
  await read(page, commands.turning, commands.printing)
  await page.locator('summary').filter({ hasText: commands.printing }).first().click()
  await read(page, markup + writtenOut)
}

export function sightsOf({ site, failedTask }: Planted): Sight[] {
  const part = (name: string) => `/sites/${site.id}/${name}`
  return [
    { path: '/', shows: nothing },
    { path: '/sites', shows: (page) => read(page, site.domain) },
    { path: '/sites/new', shows: nothing },
    { path: `/sites/new?again=${encodeURIComponent(markup)}`, shows: nothing },
    { path: `/sites/${site.id}`, shows: (page) => read(page, markup) },
    {
      path: part('config'),
      shows: (page) => expectOn(page.getByLabel('Directives')).toHaveValue(snippet),
      hiddenFrom: ['reader'],
    },
    { path: part('php'), shows: nothing },
    { path: part('certificate'), shows: (page) => read(page, markup) },
    { path: part('cache'), shows: nothing },
    { path: part('cron'), shows: readCron },
    { path: part('access'), shows: (page) => read(page, markup) },
    { path: part('logs'), shows: log('access', markupInLog) },
    { path: part('logs'), shows: log('error', markupInLog) },
    { path: part('logs'), shows: log('php', `${markup} ${writtenOut}`) },
    { path: '/drift', shows: (page) => read(page, markup, rightToLeft) },
    { path: '/logs', shows: log('nginx-error') },
    { path: '/logs', shows: log('api') },
    { path: '/logs', shows: log('agent') },
    { path: '/tasks', shows: (page) => read(page, markup), hiddenFrom: ['phone'] },
    { path: `/tasks/${failedTask}`, shows: (page) => read(page, markup) },
    { path: '/audit', shows: (page) => read(page, `${markup}@example.com`, rightToLeft, writtenOut) },
    { path: '/users', shows: (page) => read(page, quotedEmail) },
    { path: '/account', shows: (page) => page.getByTitle(userAgent).first().waitFor() },
  ]
}

/** Whole texts that may turn around: what stands in one piece with one of them would turn with it. */
const turning = [rightToLeft, ...Object.values(commands), ...snippet.split('\n'), `# ${rightToLeft} by hand`]

/** Text of the page that shares its line with text that turns it around. */
export async function turnedText(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(${findTurned})(${JSON.stringify([...turning, snippet.trim()])})`)
}

// A string, because it runs in the page. A box that is not inline, or is isolated, turns alone.
const findTurned = String.raw`(whole) => {
  const found = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!/[\u202a-\u202e\u2066-\u2069]/.test(text.data)) continue
    let box = text.parentElement
    const isInline = ({ display, unicodeBidi }) => display === 'inline' && !/isolate|plaintext/.test(unicodeBidi)
    while (isInline(getComputedStyle(box))) box = box.parentElement
    if (box.textContent !== text.data || !whole.includes(text.data.trim())) found.push(box.textContent)
  }
  return found
}`
