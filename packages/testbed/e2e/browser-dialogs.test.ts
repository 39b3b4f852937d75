import { readFileSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteAllSites, openBrowser } from '../src/browser.ts'
import {
  agentDownScreen,
  dialogScreens,
  lostUpdatesScreen,
  secondFactorScreens,
  sessionEndedScreen,
  taskDrawerScreen,
} from '../src/dialogs.ts'
import { examine } from '../src/examine.ts'
import type { Panel } from '../src/panel.ts'
import { type Gallery, openGallery, people } from '../src/gallery.ts'
import { enter, signIn } from '../src/screens.ts'

// Axe takes seconds for each look when other tests have the processor.
const patienceMs = 600_000

let gallery: Gallery
let panel: Panel
let browser: Browser

beforeAll(async () => {
  gallery = await openGallery()
  panel = await gallery.reeve.panel()
  await panel.createSite({ domain: 'here.example.com', type: 'static' })
  await gallery.addPeople(panel, [])
  browser = await openBrowser()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(panel)
  await gallery[Symbol.asyncDispose]()
}, 60_000)

const parentOf = (pid: number) =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** Runs `look` while a creation waits for an agent that is dead and not started again. */
async function withTaskUnderWay(look: () => Promise<void>): Promise<void> {
  const host = parentOf(gallery.reeve.pid('agent'))
  process.kill(host, 'SIGSTOP')
  gallery.arm('site.apply.files:before:kill')
  let task: string
  try {
    const fields = { domain: 'waiting.example.com', type: 'static' }
    const created = await panel.call<{ task: { id: string } }>('POST', '/api/sites', fields)
    expect(created.status).toBe(202)
    task = created.body.task.id
    const log = async () => (await panel.call<{ log: string }>('GET', `/api/tasks/${task}`)).body.log
    await expect.poll(log, { timeout: 30_000 }).toContain('waiting for it')
    await look()
  } finally {
    process.kill(host, 'SIGCONT')
  }
  expect((await panel.taskEnd(task)).state).toBe('succeeded')
}

describe('what stands over a page meets WCAG 2.2 AA by axe, in both themes, wide and narrow', () => {
  it(
    'the dialogs of users, of the account, and of what is not saved',
    async () => {
      const { page, problems } = await enter(browser, gallery.reeve.origin)
      expect(await examine(page, dialogScreens)).toEqual([])
      await signIn(page, people.readonly)
      expect(await examine(page, secondFactorScreens(people.readonly))).toEqual([])
      expect(problems).toEqual([])
      await page.context().close()
    },
    patienceMs,
  )

  it('the running tasks, and the banner while the agent is down', async () => {
    const { page, problems } = await enter(browser, gallery.reeve.origin)
    await withTaskUnderWay(async () => {
      expect(await examine(page, [taskDrawerScreen, agentDownScreen])).toEqual([])
    })
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('the chip that says that live updates are lost', async () => {
    const { page, problems } = await enter(browser, gallery.reeve.origin)
    await page.route('**/api/events', (route) => route.abort())
    expect(await examine(page, [lostUpdatesScreen])).toEqual([])
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('the sign-in over the page when the session has ended', async () => {
    const { page, problems } = await enter(browser, gallery.reeve.origin)
    expect(await examine(page, [sessionEndedScreen])).toEqual([])
    expect(problems).toEqual([])
    await page.context().close()
  })
})

// A string, because it runs in the page: where the focus is, seen from the open dialog.
const focusPlace = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return 'the browser'
  return element.closest('dialog[open]') ? 'the dialog' : 'the page behind: ' + element.outerHTML.slice(0, 120)
})()`
const stopsInDialog = `document.querySelectorAll('dialog[open] :is(a[href], button, input, select, textarea)').length`

/** Opens with Enter, goes once around with Tab and once back, and closes with Escape. */
async function walk(page: Page, opener: ReturnType<Page['getByRole']>, name: string): Promise<void> {
  await opener.focus()
  await page.keyboard.press('Enter')
  const opened = page.getByRole('dialog', { name })
  await opened.waitFor()
  await expect.poll(() => page.evaluate(focusPlace), { message: name }).toBe('the dialog')
  const presses = (await page.evaluate<number>(stopsInDialog)) + 3
  for (const key of ['Tab', 'Shift+Tab']) {
    const places = new Set<string>()
    for (let press = 0; press < presses; press++) {
      await page.keyboard.press(key)
      places.add(await page.evaluate<string>(focusPlace))
    }
    // Past the last control is the browser itself, never the page behind.
    expect(
      [...places].filter((place) => place.startsWith('the page')),
      name,
    ).toEqual([])
    expect([...places], name).toContain('the dialog')
  }
  await page.keyboard.press('Escape')
  await opened.waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
}

describe('with the keyboard alone a dialog keeps the focus, closes with Escape and gives the focus back', () => {
  it('users', async () => {
    const { page, problems } = await enter(browser, gallery.reeve.origin)
    await page.goto('/users')
    const button = (name: string) => page.getByRole('button', { name })
    await walk(page, button('Create user'), 'New user')
    const { email } = people.operator
    await walk(page, button(`Change role and sites: ${email}`), `Change ${email}`)
    await walk(page, button(`Delete user: ${email}`), `Delete ${email}`)
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('the account and the frame', async () => {
    const { page, problems } = await enter(browser, gallery.reeve.origin)
    await page.goto('/account')
    await walk(page, page.getByRole('button', { name: /^Sign out: / }), 'Sign out of this device')
    await walk(page, page.getByRole('button', { name: 'Search or jump to' }), 'Go to or create')
    await page.setViewportSize({ width: 390, height: 844 })
    await walk(page, page.getByRole('button', { name: 'Open navigation' }), 'Main')
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('turning off the second factor', async () => {
    const { page, problems } = await enter(browser, gallery.reeve.origin)
    await signIn(page, people.operator)
    await secondFactorScreens(people.operator)[0]?.show(page)
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await walk(page, page.getByRole('button', { name: 'Turn off' }), 'Turn off two-factor sign-in')
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('but the sign-in over the page insists', async () => {
    const { page } = await enter(browser, gallery.reeve.origin)
    await sessionEndedScreen.show(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    for (let press = 0; press < 8; press++) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate<string>(focusPlace)).not.toContain('the page')
    }
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.context().close()
  })
})
