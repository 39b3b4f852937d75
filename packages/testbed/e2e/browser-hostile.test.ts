// Text that wants to be more than text, in everything that keeps text, on every page that shows it; and every page
// without a mouse.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page, Request } from '@playwright/test'
import { connectorPurge, purgeCache } from '@reeve/contract/cache.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newVisitor, openBrowser, type Visitor } from '../src/browser.ts'
import { type CertificateLab, openCertificateLab } from '../src/certificates.ts'
import { people } from '../src/gallery.ts'
import { fates } from '../src/hostile/fates.ts'
import { type Field, fields } from '../src/hostile/fields.ts'
import { commands, plant, type Planted, userAgent } from '../src/hostile/plant.ts'
import { sendWith, type Subjects } from '../src/hostile/requests.ts'
import { sightsOf, turnedText, type View } from '../src/hostile/sights.ts'
import { markup, rightToLeft, secretMarkup, texts } from '../src/hostile/texts.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { administrator, repository } from '../src/reeve.ts'
import { signIn } from '../src/screens.ts'

let lab: CertificateLab
let panel: Panel
let planted: Planted
let browser: Browser

beforeAll(async () => {
  lab = await openCertificateLab()
  panel = lab.panel
  planted = await plant(lab)
  browser = await openBrowser()
}, 300_000)

afterAll(async () => {
  await browser?.close()
  await lab?.[Symbol.asyncDispose]()
}, 60_000)

async function enter(person = administrator, width = 1440): Promise<Visitor> {
  const visitor = await newVisitor(browser, panel.origin, {
    reducedMotion: 'reduce',
    viewport: { width, height: 900 },
    userAgent,
  })
  visitor.page.on('dialog', (dialog) => {
    visitor.problems.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await signIn(visitor.page, person)
  return visitor
}

const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Opens a page and waits until it shows what it asked the API for; only the event stream stays open. */
async function open(page: Page, path: string): Promise<void> {
  const waiting = new Set<Request>()
  const asks = (request: Request) => {
    if (/\/api\/(?!events)/.test(request.url())) waiting.add(request)
  }
  const ends = (request: Request) => waiting.delete(request)
  page.on('request', asks).on('requestfinished', ends).on('requestfailed', ends)
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: '…' }).first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
  const missing = async () => waiting.size + (await page.locator('.skeleton').count())
  await expect.poll(missing, { timeout: 45_000, message: path }).toBe(0)
  await page.evaluate(twoFrames)
  page.off('request', asks).off('requestfinished', ends).off('requestfailed', ends)
}

/** Nothing that was planted became more than text, and nothing that nobody may see is there. */
async function expectPlainText(page: Page, path: string): Promise<void> {
  expect(await page.evaluate('window.hostile'), path).toBeUndefined()
  expect(await page.locator('img[src="x"]').count(), path).toBe(0)
  expect(await page.content(), path).not.toContain('kept-back')
  expect(await turnedText(page), path).toEqual([])
}

describe('what was planted everywhere', { timeout: 600_000 }, () => {
  const views: readonly (readonly [View, typeof administrator, number])[] = [
    ['administrator', administrator, 1440],
    ['reader', people.readonly, 1440],
    ['phone', administrator, 390],
  ]

  it('is looked for on every page there is', () => {
    const router = readFileSync(join(repository, 'packages/web/src/app/router.ts'), 'utf8')
    const routes = [...router.matchAll(/^ {2}path: '(\/.*)',$/gm)].map(([, path = '']) => path)
    const visited = sightsOf(planted).map(({ path }) => path)
    const isVisited = (route: string) => {
      const pattern = new RegExp(`^(?:/sites/s[^/]+)?${route.replace('$id', '[^/]+')}$`)
      return visited.some((path) => pattern.test(path))
    }
    expect(routes.length).toBeGreaterThan(15)
    expect(routes.filter((route) => !isVisited(route))).toEqual(['/setup', '/login'])
  })

  it.each(views)('is text on every page: %s', async (view, person, width) => {
    const { page, problems } = await enter(person, width)
    for (const { path, shows, hiddenFrom } of sightsOf(planted)) {
      await open(page, path)
      expect(problems).toEqual([])
      if (!hiddenFrom?.includes(view)) await shows(page)
      await expectPlainText(page, path)
    }
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('is text where a page repeats what is typed, and in a dialog', async () => {
    const { page, problems } = await enter()
    await open(page, '/audit')
    for (const label of ['By account (e-mail)', 'By action, like createSite'])
      await page.getByRole('searchbox', { name: label }).fill(markup)
    await page.getByText('No entry matches these filters.').waitFor()
    await expectPlainText(page, 'the filters of the audit log')
    await open(page, '/logs')
    await page.getByRole('searchbox').fill(markup)
    await page.getByText(`No line holds “${markup}”.`).waitFor()
    await page.getByRole('button', { name: 'Search or jump to' }).click()
    await page.getByRole('combobox', { name: 'Go to or create' }).fill(markup)
    await page.getByText(`Nothing matches “${markup}”.`).waitFor()
    await expectPlainText(page, 'the palette')
    await open(page, `/sites/${planted.site.id}/cron`)
    for (const command of Object.values(commands)) {
      await page
        .getByRole('button', { name: `Delete ${command}`, exact: true })
        .first()
        .click()
      const dialog = page.getByRole('dialog', { name: 'Delete this cron job' })
      await dialog.getByText(command, { exact: true }).waitFor()
      await expectPlainText(page, 'the dialog')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    expect(problems).toEqual([])
    await page.context().close()
  })
})

// What a person can act on with the Tab key: one stop for a group of radio buttons, none for what is disabled or
// hidden. A string, because it runs in the page.
const stops = `(() => {
  const groups = new Set()
  const isStop = (element) => {
    if (element.disabled || element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) return false
    if (element.closest('[inert]')) return false
    if (element.type !== 'radio') return true
    const isFirst = !groups.has(element.name)
    groups.add(element.name)
    return isFirst
  }
  const found = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter(isStop)
  return found.map((element) => (element.type === 'radio' ? 'radio ' + element.name : element.outerHTML.slice(0, 120)))
})()`

const focused = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return undefined
  const style = getComputedStyle(element)
  const label = element.closest('label')
  const shown = [style, label && getComputedStyle(label)]
    .some((s) => s && ((s.outlineStyle !== 'none' && s.outlineWidth !== '0px') || s.boxShadow !== 'none'))
  const name = element.type === 'radio' ? 'radio ' + element.name : element.outerHTML.slice(0, 120)
  return { name, shown }
})()`

describe('without a mouse', () => {
  it('Tab reaches everything that can be used on every page, and the focus is always seen', {
    timeout: 600_000,
  }, async () => {
    const { page } = await enter()
    for (const path of [...new Set(sightsOf(planted).map(({ path }) => path))]) {
      await open(page, path)
      const wanted = new Set(await page.evaluate<string[]>(stops))
      expect(wanted.size, path).toBeGreaterThan(5)
      const reached = new Set<string>()
      const unseen: string[] = []
      for (let press = 0; press < wanted.size * 2 + 20; press++) {
        await page.keyboard.press('Tab')
        const now = await page.evaluate<{ name: string; shown: boolean } | undefined>(focused)
        if (now && !now.shown) unseen.push(now.name)
        if (now) reached.add(now.name)
      }
      expect(
        [...wanted].filter((name) => !reached.has(name)),
        path,
      ).toEqual([])
      expect(unseen, path).toEqual([])
    }
  })
})

// Last: passwords that are not right slow down those who sign in.
describe('every place for text in a request', { timeout: 180_000 }, () => {
  let subjects: Subjects
  beforeAll(async () => {
    const idOf = async (path: string, key: string) => {
      const { body } = await panel.call<Record<string, { id: string }[]>>('GET', path)
      return body[key]?.at(-1)?.id ?? ''
    }
    const site = planted.site.id
    subjects = {
      site,
      task: planted.failedTask,
      cron: await idOf(`/api/sites/${site}/cron`, 'jobs'),
      account: await idOf('/api/users', 'users'),
    }
  })

  // The two take the same document; one is called with a session, the other with a site's token.
  const distinct = fields.filter(({ endpoint }) => endpoint !== connectorPurge)
  const isRefusal = ({ part, path, name }: Field, status: number, named: string | undefined) => {
    if (part === 'params') return status === 404
    // Neither of the two documents fits, so none of their fields is the one.
    if (name === 'purgeCache body listings.0') return status === 400 && named === undefined
    const where = path.join('.')
    return (status === 400 || status === 422) && (where === named || where.startsWith(`${named}.`))
  }

  it('is known', () => {
    expect(connectorPurge.body).toBe(purgeCache.body)
    const names = fields.map(({ name }) => name)
    expect(Object.keys(fates).filter((name) => !names.includes(name))).toEqual([])
    const kept = Object.entries(fates).flatMap(([name, fate]) =>
      fate === 'shown' || fate === 'secret' ? [name] : [],
    )
    expect(kept.filter((name) => !planted.places.has(name))).toEqual([])
    expect(names.length).toBeGreaterThan(80)
  })

  it('refuses it, or is among those where it was planted', async () => {
    const refusing = distinct.filter(({ name }) => fates[name] === undefined)
    const taken: string[] = []
    for (const field of refusing) {
      for (const text of texts) {
        const { status, body } = await sendWith(panel, field, subjects, text)
        if (!isRefusal(field, status, body.field))
          taken.push(`${field.name}: ${text}: ${status} ${JSON.stringify(body)}`)
      }
    }
    expect(taken).toEqual([])
    console.log(
      `${refusing.length} fields refuse ${texts.length} texts, ${Object.keys(fates).length} take some`,
    )
  })

  it('answers a question with nothing, and takes nothing for a code or a password', async () => {
    const limits = { asked: [200, 200], compared: [400, 429] } as const
    for (const field of distinct) {
      const fate = fates[field.name]
      if (fate !== 'asked' && fate !== 'compared') continue
      if (field.endpoint.name === 'login') continue // Without a second factor it is not looked at.
      const { status, body } = await sendWith(panel, field, subjects, secretMarkup)
      const [least, most] = limits[fate]
      expect(status, `${field.name} ${JSON.stringify(body)}`).toBeGreaterThanOrEqual(least)
      expect(status, `${field.name} ${JSON.stringify(body)}`).toBeLessThanOrEqual(most)
      expect(JSON.stringify(body), field.name).not.toContain('kept-back')
    }
  })

  it('of a title refuses a direction of its own', async () => {
    const fields = { ...wordpressFields, domain: 'rtl.example.com', title: rightToLeft }
    expect((await panel.call('POST', '/api/sites', fields)).status).toBe(400)
  })
})
