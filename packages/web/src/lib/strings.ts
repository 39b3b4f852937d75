// Every sentence of the interface, in one typed catalogue. English is the source language.
import { accountsStrings } from './strings/accounts.ts'
import { frameStrings } from './strings/frame.ts'
import { siteOperationStrings } from './strings/site-operation.ts'
import { siteSettingsStrings } from './strings/site-settings.ts'
import { sitesStrings } from './strings/sites.ts'
import { tasksStrings } from './strings/tasks.ts'

export const strings = {
  product: 'Reeve',
  ...frameStrings,
  ...accountsStrings,
  ...sitesStrings,
  ...siteSettingsStrings,
  ...siteOperationStrings,
  ...tasksStrings,
} as const

/** "site.create" as a person says it; kinds this version does not know are shown as they are. */
export const taskKind = (kind: string): string => lookUp(strings.tasks.kinds, kind) ?? kind

export const stepName = (name: string): string =>
  lookUp(strings.tasks.steps, name) ?? name.charAt(0).toUpperCase() + name.slice(1)

/** A sentence by a key that comes from the server, which may know more keys than this version. */
export function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
