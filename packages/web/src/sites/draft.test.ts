import { describe, expect, it } from 'vitest'
import { dirtyKeys, rebase, settle, startDraft, takeTheirs } from './draft.ts'

interface Form {
  aliases: string
  hsts: boolean
  rows: string[]
}
const start: Form = { aliases: 'a.test', hsts: false, rows: ['1'] }
const typed = (part: Partial<Form>) => ({ ...startDraft(start), form: { ...start, ...part } })

describe('a draft over values that others change', () => {
  it('is clean until a value differs from the server’s, and again when it is typed back', () => {
    expect(dirtyKeys(startDraft(start))).toEqual([])
    expect(dirtyKeys(typed({ rows: ['1', '2'] }))).toEqual(['rows'])
    expect(dirtyKeys(typed({ rows: ['1'] }))).toEqual([])
  })

  it('follows the server silently while nothing is typed', () => {
    const draft = rebase(startDraft(start), { ...start, hsts: true })
    expect(draft).toEqual(startDraft({ ...start, hsts: true }))
  })

  it('stays the same object while the server says the same', () => {
    const draft = typed({ aliases: 'b.test' })
    expect(rebase(draft, structuredClone(start))).toBe(draft)
  })

  it('keeps what is typed, takes the rest, and tells', () => {
    const draft = rebase(typed({ aliases: 'mine.test' }), { ...start, hsts: true })
    expect(draft.form).toEqual({ ...start, aliases: 'mine.test', hsts: true })
    expect(draft.theirs).toEqual(['hsts'])
    expect(dirtyKeys(draft)).toEqual(['aliases'])
  })

  it('keeps what is typed also where both changed the same, and gives it up when asked', () => {
    const draft = rebase(typed({ aliases: 'mine.test' }), { ...start, aliases: 'theirs.test' })
    expect(draft.form.aliases).toBe('mine.test')
    expect(draft.theirs).toEqual(['aliases'])
    const taken = takeTheirs(draft, draft.theirs)
    expect(taken.form.aliases).toBe('theirs.test')
    expect(dirtyKeys(taken)).toEqual([])
  })

  it('does not call it theirs when both typed the same', () => {
    const draft = rebase(typed({ hsts: true }), { ...start, hsts: true })
    expect(draft.theirs).toEqual([])
    expect(dirtyKeys(draft)).toEqual([])
  })

  it('shows after a save what the server made of it, and keeps what was typed since', () => {
    const sent = { ...start, aliases: 'BÜCHER.test', hsts: true }
    const draft = { ...startDraft(start), form: { ...sent, hsts: false, rows: ['9'] } }
    const current = { ...start, aliases: 'xn--bcher-kva.test', hsts: true }
    const settled = settle(draft, sent, current)
    expect(settled.form).toEqual({ aliases: 'xn--bcher-kva.test', hsts: false, rows: ['9'] })
    expect(dirtyKeys(settled)).toEqual(['hsts', 'rows'])
  })
})
