// The dialogs, banners and chips that stand over or beside a page, and what brings them up.
import type { Page } from '@playwright/test'
import { people } from './gallery.ts'
import { type Screen, signIn } from './screens.ts'
import { totp } from './totp.ts'

/** A screen that needs nothing but the people of the gallery. */
interface PlainScreen extends Screen {
  show(page: Page): Promise<void>
}

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

async function openUsers(page: Page): Promise<void> {
  await page.goto('/users')
  await page.getByText(people.operator.email).waitFor()
}

export const dialogScreens: readonly PlainScreen[] = [
  {
    name: 'edit-user',
    show: async (page) => {
      await openUsers(page)
      await page.getByRole('button', { name: `Change role and sites: ${people.operator.email}` }).click()
      await dialog(page, `Change ${people.operator.email}`).waitFor()
    },
  },
  {
    name: 'delete-user',
    show: async (page) => {
      await openUsers(page)
      await page.getByRole('button', { name: `Delete user: ${people.readonly.email}` }).click()
      await dialog(page, `Delete ${people.readonly.email}`).waitFor()
    },
  },
  {
    name: 'end-session',
    show: async (page) => {
      await page.goto('/account')
      await page.getByRole('button', { name: /^Sign out: / }).click()
      await dialog(page, 'Sign out of this device').waitFor()
    },
  },
  {
    name: 'unsaved-changes',
    show: async (page) => {
      await page.goto('/sites')
      await page.getByRole('main').getByRole('link', { name: 'New site' }).first().click()
      await page.getByLabel('Domain').fill('unsent.example.com')
      await page.evaluate('history.back()')
      await dialog(page, 'Unsaved changes').waitFor()
    },
  },
]

/** Signed in as this person, whose other sessions end. */
export const secondFactorScreens = (person: { password: string }): readonly PlainScreen[] => [
  { name: 'recovery-codes', show: (page) => showRecoveryCodes(page, person) },
  {
    name: 'two-factor-off',
    show: async (page) => {
      await showRecoveryCodes(page, person)
      await page.getByRole('button', { name: 'I have kept them' }).click()
      await page.getByRole('button', { name: 'Turn off' }).click()
      await dialog(page, 'Turn off two-factor sign-in').waitFor()
    },
  },
]

/** Signs in by itself and leaves without a session. */
export const sessionEndedScreen: PlainScreen = {
  name: 'sign-in-again',
  show: async (page) => {
    await signIn(page)
    await page.goto('/account')
    await page.getByText('This device').waitFor()
    await page.getByLabel('Current password').fill('does not matter')
    await page.getByLabel('New password').fill('a quite different one')
    await page.context().clearCookies()
    // Without a pointer: a request of the page itself may have opened the dialog already, over this button.
    await page.getByRole('button', { name: 'Change password' }).dispatchEvent('click')
    await dialog(page, 'Your session has ended').waitFor()
  },
}

/** While the agent does not answer. */
export const agentDownScreen: PlainScreen = {
  name: 'agent-down',
  show: async (page) => {
    await page.goto('/audit')
    await page.getByText('The server agent is not running.').first().waitFor()
  },
}

/** While the event stream does not open. */
export const lostUpdatesScreen: PlainScreen = {
  name: 'lost-updates',
  show: async (page) => {
    await page.goto('/sites')
    await page.getByText(/as of \d/).waitFor()
  },
}

/** While a task is under way. */
export const taskDrawerScreen: PlainScreen = {
  name: 'task-drawer',
  show: async (page) => {
    await page.goto('/sites')
    await page
      .getByRole('button', { name: /task.* running/ })
      .filter({ visible: true })
      .click()
    await dialog(page, 'Running tasks').getByRole('list', { name: 'Steps' }).first().waitFor()
  },
}

/** Turns the second factor on, off and on again when it is on already. */
async function showRecoveryCodes(page: Page, person: { password: string }): Promise<void> {
  await page.goto('/account')
  const turnOn = page.getByRole('button', { name: 'Turn on' })
  const turnOff = page.getByRole('button', { name: 'Turn off' })
  await turnOn.or(turnOff).waitFor()
  if (await turnOff.isVisible()) {
    await turnOff.click()
    const asked = dialog(page, 'Turn off two-factor sign-in')
    await asked.getByLabel('Current password').fill(person.password)
    await asked.getByRole('button', { name: 'Turn off' }).click()
  }
  await turnOn.click()
  const secret = page.locator('code').filter({ hasText: /^[A-Z2-7]{32}$/ })
  await page.getByLabel('Six-digit code').fill(totp((await secret.textContent()) ?? ''))
  await page.getByRole('button', { name: 'Confirm and turn on' }).click()
  await page.getByText('Keep these recovery codes now').waitFor()
}
