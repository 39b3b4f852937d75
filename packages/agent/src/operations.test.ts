// What root can be asked for is a reviewed list: a new operation shows up in its diff.
import { readFileSync } from 'node:fs'
import { operations } from '@reeve/contract/operations.ts'
import { expect, it } from 'vitest'

it('operations.txt lists every operation', () => {
  const listed = operations.map(({ name, summary }) => `${name}: ${summary}\n`).sort()
  expect(listed.join('')).toBe(readFileSync(new URL('../operations.txt', import.meta.url), 'utf8'))
})
