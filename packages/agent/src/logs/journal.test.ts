import { expect, it } from 'vitest'
import { tailJournal } from './journal.ts'

it.each([null, 'j:1700000000000000:3', 'nonsense'])(
  'takes the cursor %s for a unit that never said anything',
  async (cursor) => {
    const answer = await tailJournal('reeve-no-such-unit', { lines: 10, cursor, filter: null })
    expect(answer).toEqual({ lines: [], cursor, truncated: false })
  },
)
