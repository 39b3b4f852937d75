// Playwright's assertions that wait, for as long as a page may take when other tests have the processor.
import { expect } from '@playwright/test'

export const expectOn = expect.configure({ timeout: 45_000 })
