import { expect, it } from 'vitest'
import { describeFindings, examineAll, failed, note, ok } from './check.ts'

it('names a check that could not be made, and goes on with the others', async () => {
  const examined = await examineAll([
    {
      name: 'first',
      why: 'it matters',
      examine: () => {
        throw new Error('no such program')
      },
    },
    { name: 'second', why: 'it matters too', examine: async () => [ok('one'), note('two', 'look')] },
  ])
  expect(examined.map(({ check, state, what }) => [check, state, what])).toEqual([
    ['first', 'failed', 'first could not be checked: no such program'],
    ['second', 'ok', 'one'],
    ['second', 'note', 'two'],
  ])
})

it('says for each problem why it matters and what to do', async () => {
  const examined = await examineAll([
    {
      name: 'all',
      why: 'Sites stand still.',
      examine: () => [ok('nginx runs'), failed('Redis does not answer', 'systemctl restart redis-server')],
    },
  ])
  expect(describeFindings(examined)).toBe(`ok      nginx runs
FAILED  Redis does not answer
        why: Sites stand still.
        fix: systemctl restart redis-server

1 of 2 checks failed, 0 to look at.
`)
})
