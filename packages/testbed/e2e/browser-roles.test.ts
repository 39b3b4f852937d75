// The panel as an operator and as a reader see it: what there is, what is closed and why, and every page by axe.
import type { Browser, Page } from '@playwright/test'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteAllSites, openBrowser } from '../src/browser.ts'
import { examine } from '../src/examine.ts'
import { expectOn } from '../src/expect-on.ts'
import { callPatiently, type Panel } from '../src/panel.ts'
import { type Gallery, openGallery, people } from '../src/gallery.ts'
import type { administrator } from '../src/reeve.ts'
import { enter, type Screen } from '../src/screens.ts'

// Axe takes seconds for each look when other tests have the processor.
const patienceMs = 600_000

const readOnlyReason = 'Your account is read only. An administrator or operator can do this.'

let gallery: Gallery
let panel: Panel
let browser: Browser
let mine: Site
let other: Site
let taskOfMine: string

beforeAll(async () => {
  gallery = await openGallery()
  panel = await gallery.reeve.panel()
  mine = await panel.createSite({ domain: 'mine.example.com', type: 'static' })
  other = await panel.createSite({ domain: 'other.example.com', type: 'static' })
  await gallery.addPeople(panel, [mine.id])
  const { body } = await panel.call<{ tasks: { id: string; site_id: string }[] }>('GET', '/api/tasks')
  taskOfMine = body.tasks.find(({ site_id }) => site_id === mine.id)?.id ?? ''
  browser = await openBrowser()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await deleteAllSites(panel)
  await gallery[Symbol.asyncDispose]()
}, 60_000)

const enterAs = (person: typeof administrator) => enter(browser, gallery.reeve.origin, person)

const page = (path: string, heading: string): Screen => ({
  name: path,
  show: async (shown) => {
    await shown.goto(path)
    await shown.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await shown.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
  },
})

const sharedPages = (): Screen[] => [
  page('/sites', 'Sites'),
  page(`/sites/${mine.id}`, mine.domain),
  page('/sites/new', 'New site'),
  page('/tasks', 'Tasks'),
  page(`/tasks/${taskOfMine}`, 'Create site'),
  page('/account', 'Account'),
  page('/nowhere', 'Not found'),
]

const navigation = (shown: Page) => shown.getByRole('navigation', { name: 'Main' }).getByRole('link')

async function expectClosed(shown: Page, button: string, reason: string): Promise<void> {
  const closed = shown.locator('button[aria-disabled=true]', { hasText: button })
  await closed.waitFor()
  const described = await closed.getAttribute('aria-describedby')
  expect(await shown.locator(`[id="${described}"]`).textContent()).toBe(reason)
}

describe('an operator', () => {
  it('finds their own sites and nothing of the server', async () => {
    const { page: shown, problems } = await enterAs(people.operator)
    await shown.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    await shown.getByRole('link', { name: mine.domain, exact: true }).waitFor()
    await expectOn(shown.getByText(other.domain)).toHaveCount(0)
    await expectOn(navigation(shown)).toHaveText(['Sites', 'Tasks', 'Account'])
    await shown.getByRole('link', { name: 'New site' }).waitFor()
    await shown.goto(`/sites/${other.id}`)
    await shown.getByRole('heading', { name: 'Not found' }).waitFor()
    for (const path of ['/users', '/audit']) {
      await shown.goto(path)
      await shown.getByRole('heading', { name: 'Not allowed' }).waitFor()
    }
    expect(problems).toEqual([])
    await shown.context().close()
  })

  it(
    'has pages that meet WCAG 2.2 AA by axe, in both themes, wide and narrow',
    async () => {
      const { page: shown, problems } = await enterAs(people.operator)
      const closed = ['/users', '/audit'].map((path) => page(path, 'Not allowed'))
      expect(await examine(shown, [...sharedPages(), ...closed])).toEqual([])
      expect(problems).toEqual([])
      await shown.context().close()
    },
    patienceMs,
  )
})

describe('a reader', () => {
  it('finds everything, and beside whatever is closed the reason', async () => {
    const { page: shown, problems } = await enterAs(people.readonly)
    const pages = ['Overview', 'Sites', 'Tasks', 'Drift', 'Logs', 'Users', 'Audit log', 'Account']
    await shown.getByRole('navigation', { name: 'Main' }).waitFor()
    await expectOn(navigation(shown)).toHaveText(pages)
    await shown.goto(`/sites/${other.id}`)
    await expectClosed(shown, 'Delete site', readOnlyReason)
    await shown.goto('/sites/new')
    await expectClosed(shown, 'Create site', readOnlyReason)
    await shown.goto('/users')
    await expectClosed(shown, 'Create user', 'Only an administrator can do this.')
    expect(problems).toEqual([])
    await shown.context().close()
  })

  it(
    'has pages that meet WCAG 2.2 AA by axe, in both themes, wide and narrow',
    async () => {
      const { page: shown, problems } = await enterAs(people.readonly)
      const more = [page('/users', 'Users'), page('/audit', 'Audit log')]
      expect(await examine(shown, [...sharedPages(), ...more])).toEqual([])
      expect(problems).toEqual([])
      await shown.context().close()
    },
    patienceMs,
  )

  it('becomes an operator while they look, and the page takes the new shape', async () => {
    const { body } = await panel.call<{ users: { id: string; email: string }[] }>('GET', '/api/users')
    const id = body.users.find(({ email }) => email === people.readonly.email)?.id
    const become = async (role: 'operator' | 'readonly', site_ids: string[]) =>
      expect(await callPatiently(panel, 'PUT', `/api/users/${id}`, { role, site_ids })).toMatchObject({
        status: 200,
      })
    // An earlier try may have changed it.
    await become('readonly', [])
    const { page: shown, problems } = await enterAs(people.readonly)
    await shown.goto('/users')
    await shown.getByText('Live', { exact: true }).waitFor()
    await become('operator', [other.id])
    await shown.getByRole('link', { name: 'Users', exact: true }).waitFor({ state: 'detached' })
    await shown.getByRole('link', { name: 'Sites', exact: true }).first().click()
    await shown.getByRole('link', { name: other.domain, exact: true }).waitFor()
    await expectOn(shown.getByText(mine.domain)).toHaveCount(0)
    expect(problems).toEqual([])
    await shown.context().close()
  })
})
