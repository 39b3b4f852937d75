// What an author does in wp-admin, through the block editor, of the WordPress versions the tests may meet.
import type { FrameLocator, Page } from '@playwright/test'

export interface Post {
  title: string
  text: string
}

/** Publishes as the person signed in on the page; returns the post's address. */
export async function publishPost(page: Page, address: string, post: Post): Promise<string> {
  await page.goto(`${address}/wp-admin/post-new.php`)
  const guide = page.locator('.components-guide, .edit-post-welcome-guide')
  await page.addLocatorHandler(guide.first(), () =>
    page
      .getByRole('button', { name: /^Close( dialog)?$/ })
      .first()
      .click(),
  )
  const canvas = await canvasOf(page)
  await canvas.getByRole('textbox', { name: 'Add title' }).click()
  await page.keyboard.type(post.title)
  await page.keyboard.press('Enter')
  await page.keyboard.type(post.text)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Editor publish' })
  await panel.getByRole('button', { name: 'Publish', exact: true }).click()
  const link = panel.getByRole('link', { name: 'View Post' })
  return (await link.getAttribute('href')) ?? ''
}

/** Newer versions edit inside a frame. */
async function canvasOf(page: Page): Promise<Page | FrameLocator> {
  const frame = page.locator('iframe[name="editor-canvas"]')
  const title = page.getByRole('textbox', { name: 'Add title' })
  await frame.or(title).first().waitFor()
  return (await frame.count()) > 0 ? page.frameLocator('iframe[name="editor-canvas"]') : page
}
