// Looks at screens in every form they have: both themes, a desk and a phone.
import type { Page } from '@playwright/test'
import { accessibilityProblems, overflowsSideways } from './browser.ts'
import { type Exhibits, isOn, type Screen, themes, widths } from './screens.ts'

const layouts = ['wide', 'phone'] as const

/** Everything that axe and the ruler find. Screens that ask for no exhibit are shown without. */
export async function examine(page: Page, shown: readonly Screen[], exhibits?: Exhibits): Promise<string[]> {
  const found: string[] = []
  for (const layout of layouts) {
    await page.setViewportSize({ width: widths[layout], height: 900 })
    for (const screen of shown.filter((candidate) => isOn(candidate, layout))) {
      // Screens of an empty server ask for no exhibit.
      await screen.show(page, exhibits as Exhibits)
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme })
        const problems = await accessibilityProblems(page)
        found.push(...problems.map((problem) => `${screen.name}, ${layout}, ${colorScheme}: ${problem}`))
      }
      if (await overflowsSideways(page)) found.push(`${screen.name}, ${layout}: scrolls sideways`)
    }
  }
  return found
}
