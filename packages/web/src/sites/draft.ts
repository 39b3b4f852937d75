// A form over values that others may change while it is filled in: what is typed is never overwritten.

export interface Draft<Form> {
  /** What the server last said, in the shape of the form. */
  base: Form
  form: Form
  /** Fields whose value on the server changed while something was typed. */
  theirs: readonly (keyof Form)[]
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

// A form's own keys are all of its type's: it is written as one literal.
const keysOf = <Form extends object>(form: Form) => Object.keys(form) as (keyof Form)[]

export const startDraft = <Form extends object>(current: Form): Draft<Form> => ({
  base: current,
  form: current,
  theirs: [],
})

export function dirtyKeys<Form extends object>({ base, form }: Draft<Form>): (keyof Form)[] {
  return keysOf(form).filter((key) => !isSame(form[key], base[key]))
}

/** Takes the server's new values where nothing was typed, and tells which those are if anything was. */
export function rebase<Form extends object>(draft: Draft<Form>, current: Form): Draft<Form> {
  const changed = keysOf(current).filter((key) => !isSame(current[key], draft.base[key]))
  if (changed.length === 0) return draft
  const typed = dirtyKeys(draft)
  if (typed.length === 0) return startDraft(current)
  const form = { ...current }
  for (const key of typed) form[key] = draft.form[key]
  const news = changed.filter((key) => !isSame(current[key], draft.form[key]))
  return { base: current, form, theirs: [...new Set([...draft.theirs, ...news])] }
}

/** After `sent` was taken by the server, which now says `current`; what was typed since is still a change. */
export function settle<Form extends object>(draft: Draft<Form>, sent: Form, current: Form): Draft<Form> {
  const form = { ...current }
  for (const key of keysOf(form)) {
    if (!isSame(draft.form[key], sent[key])) form[key] = draft.form[key]
  }
  return { base: current, form, theirs: [] }
}

/** Gives up what was typed in these fields. */
export function takeTheirs<Form extends object>(
  draft: Draft<Form>,
  keys: readonly (keyof Form)[],
): Draft<Form> {
  const form = { ...draft.form }
  for (const key of keys) form[key] = draft.base[key]
  return { ...draft, form, theirs: [] }
}
