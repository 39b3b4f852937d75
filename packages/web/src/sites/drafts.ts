// The values a creation was asked with, kept by task until the tab closes, so that a failed one can be tried
// again. The password is never among them.
import type { createSite } from '@reeve/contract/sites.ts'
import type { BodyOf } from '../lib/api.ts'

export type SiteBody = BodyOf<typeof createSite>
export type Draft = Omit<SiteBody, 'admin_password'>

const keyOf = (taskId: string): string => `reeve-draft-${taskId}`

export function keepDraft(taskId: string, body: SiteBody): void {
  const { admin_password: _, ...draft } = body
  try {
    sessionStorage.setItem(keyOf(taskId), JSON.stringify(draft))
  } catch {
    // Without storage the form starts empty after a failure; nothing else depends on it.
  }
}

export function readDraft(taskId: string): Draft | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(taskId))
    // Only keepDraft writes under this key.
    return text === null ? undefined : (JSON.parse(text) as Draft)
  } catch {
    return undefined
  }
}
