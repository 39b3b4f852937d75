// Every screen and dialog of the panel, and how a person gets to it.
import type { Browser, Page } from '@playwright/test'
import type { Site } from '@reeve/contract/sites.ts'
import { newVisitor, type Visitor } from './browser.ts'
import { administrator } from './reeve.ts'

export interface Exhibits {
  site: Site
  /** The creation that made the site. */
  done: string
  /** A creation that failed, and the site it should have made. */
  failed: { task: string; site: string }
}

export interface Screen {
  name: string
  show(page: Page, exhibits: Exhibits): Promise<void>
  /** Only where this layout has it. */
  on?: 'wide' | 'phone'
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name }).waitFor()

/** Without a session, before the setup. */
export const setupScreen: Screen = {
  name: 'setup',
  show: async (page) => {
    await page.goto('/setup#token=an-example-of-a-token')
    await heading(page, 'Create the owner account')
    await page.getByLabel('Password', { exact: true }).fill('a sentence works well')
  },
}

/** Without a session. */
export const loginScreen: Screen = {
  name: 'login',
  show: async (page) => {
    await page.goto('/login')
    await heading(page, 'Sign in')
  },
}

/** Signed in as an administrator, before the first site. */
export const emptyScreens: readonly Screen[] = [
  {
    name: 'overview-empty',
    show: async (page) => {
      await page.goto('/')
      await page.getByText('This server is ready for its first site').waitFor()
    },
  },
  {
    name: 'sites-empty',
    show: async (page) => {
      await page.goto('/sites')
      await page.getByText('No site is on this server yet.').waitFor()
    },
  },
  {
    name: 'tasks-empty',
    show: async (page) => {
      await page.goto('/tasks')
      await page.getByText('No task has run yet.').waitFor()
    },
  },
]

/** Signed in as an administrator, with the exhibits in place. */
export const screens: readonly Screen[] = [
  {
    name: 'overview',
    show: async (page) => {
      await page.goto('/')
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
      await page.getByRole('heading', { name: 'Recent tasks' }).waitFor()
    },
  },
  {
    name: 'sites',
    show: async (page, { site }) => {
      await page.goto('/sites')
      await page.getByRole('link', { name: site.domain, exact: true }).filter({ visible: true }).waitFor()
    },
  },
  {
    name: 'new-site',
    show: async (page) => {
      await page.goto('/sites/new')
      await page.getByText('Advanced', { exact: true }).click()
      await page.getByRole('spinbutton', { name: /PHP workers/ }).waitFor()
    },
  },
  {
    name: 'new-site-rejected',
    show: async (page) => {
      await page.goto('/sites/new')
      await page.getByLabel('Domain').fill('not a domain')
      await page.getByRole('button', { name: 'Create site' }).click()
      await page.locator('[aria-invalid]').waitFor()
    },
  },
  {
    name: 'site',
    show: async (page, { site }) => {
      await page.goto(`/sites/${site.id}`)
      await heading(page, site.domain)
      await page.getByRole('heading', { name: 'Recent tasks of this site' }).waitFor()
    },
  },
  {
    name: 'site-failed',
    show: async (page, { failed }) => {
      await page.goto(`/sites/${failed.site}`)
      await page.getByRole('link', { name: 'Try again with these values' }).waitFor()
    },
  },
  {
    name: 'delete-site',
    show: async (page, { site }) => {
      await page.goto(`/sites/${site.id}`)
      await page.getByRole('button', { name: 'Delete site' }).click()
      await dialog(page, `Delete ${site.domain}`)
    },
  },
  {
    name: 'tasks',
    show: async (page, { site }) => {
      await page.goto('/tasks')
      await page.getByText(site.domain).filter({ visible: true }).first().waitFor()
    },
  },
  {
    name: 'task',
    show: async (page, { done }) => {
      await page.goto(`/tasks/${done}`)
      await page.getByRole('list', { name: 'Steps' }).waitFor()
    },
  },
  {
    name: 'task-failed',
    show: async (page, { failed }) => {
      await page.goto(`/tasks/${failed.task}`)
      await page.getByRole('alert').filter({ hasText: 'Failure' }).waitFor()
    },
  },
  {
    name: 'users',
    show: async (page) => {
      await page.goto('/users')
      await page.getByRole('button', { name: 'Create user' }).waitFor()
      await page.getByRole('main').getByText(administrator.email).waitFor()
    },
  },
  {
    name: 'new-user',
    show: async (page) => {
      await page.goto('/users')
      await page.getByRole('button', { name: 'Create user' }).click()
      await dialog(page, 'New user')
    },
  },
  {
    name: 'audit',
    show: async (page) => {
      await page.goto('/audit')
      await page.getByText('Complete setup').filter({ visible: true }).first().waitFor()
    },
  },
  {
    name: 'account',
    show: async (page) => {
      await page.goto('/account')
      await page.getByText('This device').waitFor()
    },
  },
  {
    name: 'two-factor',
    show: async (page) => {
      await page.goto('/account')
      await page.getByRole('button', { name: 'Turn on' }).click()
      await page.getByText('Or type the secret into it').waitFor()
    },
  },
  {
    name: 'palette',
    show: async (page) => {
      await page.goto('/sites')
      await page.getByRole('button', { name: 'Search or jump to' }).click()
      await page.getByRole('combobox', { name: 'Go to or create' }).waitFor()
    },
  },
  {
    name: 'account-menu',
    on: 'wide',
    show: async (page) => {
      await page.goto('/sites')
      await page.getByRole('button', { name: /Account menu/ }).click()
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
    },
  },
  {
    name: 'navigation',
    on: 'phone',
    show: async (page) => {
      await page.goto('/sites')
      await page.getByRole('button', { name: 'Open navigation' }).click()
      await dialog(page, 'Main')
    },
  },
  {
    name: 'not-found',
    show: async (page) => {
      await page.goto('/nowhere')
      await heading(page, 'Not found')
    },
  },
]

/** Signs in with the form. */
export async function signIn(page: Page, { email, password } = administrator): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Search or jump to' }).waitFor()
}

/** A browser profile of its own in which nothing moves, signed in. */
export async function enter(browser: Browser, panel: string, person = administrator): Promise<Visitor> {
  const visitor = await newVisitor(browser, panel, { reducedMotion: 'reduce' })
  await signIn(visitor.page, person)
  return visitor
}

/** Opens a part of a site's page; from then on it follows what happens at the server. */
export async function openPart(page: Page, { id, domain }: Site, part: string): Promise<void> {
  await page.goto(`/sites/${id}/${part}`)
  await page.getByRole('heading', { name: domain, level: 1 }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
}

export const widths = { wide: 1440, tablet: 768, phone: 390 } as const
export const themes = ['light', 'dark'] as const

/** Whether a layout of this width has the screen. */
export const isOn = ({ on }: Screen, width: keyof typeof widths): boolean => on === undefined || on === width
