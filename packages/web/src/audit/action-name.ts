import { lookUp, strings } from '../lib/strings.ts'

/** "createSite" and "site.create" both read "Create site"; other names are taken apart into words. */
export function actionName(action: string): string {
  const known = lookUp(strings.audit.actions, action) ?? lookUp(strings.tasks.kinds, action)
  if (known !== undefined) return known
  const words = action
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[._-]/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
