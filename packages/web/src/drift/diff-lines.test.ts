import { expect, it } from 'vitest'
import { diffLines } from './diff-lines.ts'

it('leaves the names out, and takes the sign off each line', () => {
  const diff = ['--- a', '+++ b', '@@ -1,3 +1,3 @@', ' same', '--- dashes', '-old', '+new', ''].join('\n')
  expect(diffLines(diff)).toEqual([
    { kind: 'hunk', text: '@@ -1,3 +1,3 @@' },
    { kind: 'same', text: 'same' },
    { kind: 'removed', text: '-- dashes' },
    { kind: 'removed', text: 'old' },
    { kind: 'added', text: 'new' },
  ])
})

it('shows a diff without hunks as it is', () => {
  expect(diffLines('-gone\n')).toEqual([{ kind: 'removed', text: 'gone' }])
  expect(diffLines('')).toEqual([])
})
