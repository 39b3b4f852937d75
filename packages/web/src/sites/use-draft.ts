import { useState } from 'react'
import { dirtyKeys, type Draft, rebase, settle, startDraft, takeTheirs } from './draft.ts'

export interface FormDraft<Form> {
  form: Form
  dirty: readonly (keyof Form)[]
  theirs: readonly (keyof Form)[]
  change(part: Partial<Form>): void
  discard(): void
  /** Gives up what was typed in these fields. */
  takeTheirs(keys: readonly (keyof Form)[]): void
  /** The news has been read. */
  dismissTheirs(): void
  settle(sent: Form, current: Form): void
}

/** `current` is what the server says now. While `held`, as during one's own save, the form does not follow it. */
export function useDraft<Form extends object>(current: Form, held: boolean): FormDraft<Form> {
  const [draft, setDraft] = useState<Draft<Form>>(() => startDraft(current))
  const followed = held ? draft : rebase(draft, current)
  if (followed !== draft) setDraft(followed)
  return {
    form: followed.form,
    dirty: dirtyKeys(followed),
    theirs: followed.theirs,
    change: (part) => setDraft((old) => ({ ...old, form: { ...old.form, ...part } })),
    discard: () => setDraft((old) => startDraft(old.base)),
    takeTheirs: (keys) => setDraft((old) => takeTheirs(old, keys)),
    dismissTheirs: () => setDraft((old) => ({ ...old, theirs: [] })),
    settle: (sent, after) => setDraft((old) => settle(old, sent, after)),
  }
}
