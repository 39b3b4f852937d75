// The parts of a site's page, and the server's pages that go with them.
import type { Page } from '@playwright/test'
import type { Exhibits, Screen } from './screens.ts'

type Part = (page: Page, exhibits: Exhibits) => Promise<void>

/** A part of the exhibited site's page, once it shows what it is about. */
const part = (name: string, show: Part): Screen => ({
  name: `site-${name}`,
  show: async (page, exhibits) => {
    await page.goto(`/sites/${exhibits.site.id}/${name.split('-')[0]}`)
    await page.getByRole('heading', { name: exhibits.site.domain, level: 1 }).waitFor()
    await show(page, exhibits)
  },
})

export const siteScreens: readonly Screen[] = [
  part('config-refused', async (page) => {
    await page.getByLabel('Strict transport security').check()
    await page.getByRole('button', { name: 'Add redirect' }).click()
    await page.getByLabel('From').fill('/old')
    await page.getByLabel('Ask for a password').check()
    await page.getByLabel('User name').fill('guest')
    await page.getByLabel('Password', { exact: true }).fill('a long enough password')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.locator('[aria-invalid]').waitFor()
  }),
  part('php', async (page) => {
    await page.getByLabel('Largest upload').waitFor()
  }),
  part('certificate', async (page) => {
    await page.getByRole('button', { name: 'Get certificate' }).waitFor()
  }),
  part('cache', async (page) => {
    await page.getByText('Counted since').waitFor()
    await page.getByRole('button', { name: 'Purge everything' }).click()
    await page.getByRole('button', { name: 'Yes, purge everything' }).waitFor()
  }),
  part('cron', async (page) => {
    await page.getByRole('button', { name: /Run now/ }).waitFor()
  }),
  part('cron-new', async (page) => {
    await page.getByRole('button', { name: 'Add cron job' }).click()
    await page.getByRole('dialog', { name: 'New cron job' }).waitFor()
  }),
  part('access', async (page) => {
    await page.getByRole('button', { name: 'Turn on SFTP' }).waitFor()
  }),
  part('logs', async (page) => {
    await page.getByRole('log').waitFor()
  }),
  {
    name: 'drift',
    show: async (page) => {
      await page.goto('/drift')
      await page.getByText('Every file the panel wrote is as the panel wrote it.').waitFor()
    },
  },
  {
    name: 'logs',
    show: async (page) => {
      await page.goto('/logs')
      await page.getByRole('log').waitFor()
    },
  },
]
