import { expect, test } from 'vitest'
import { findAnswer } from './runner.ts'

const marker = 'a'.repeat(48)
const good = `\n${marker}{"ok":true,"result":{"uid":1}}\n`

test('finds the answer between whatever plugins print', () => {
  expect(findAnswer(`noise {"ok":true}${good}trailing noise`, marker)).toEqual({
    ok: true,
    result: { uid: 1 },
  })
})

test('takes the last marked line, which is the one the runner wrote', () => {
  expect(findAnswer(`\n${marker}{"ok":false,"error":"early"}\n${good}`, marker)).toMatchObject({ ok: true })
})

test.each([
  ['nothing', ''],
  ['no marker', '{"ok":true,"result":1}\n'],
  ['another marker', `\n${'b'.repeat(48)}{"ok":true,"result":1}\n`],
  ['a marker inside a line', `x${marker}{"ok":true,"result":1}\n`],
  ['something that is not JSON', `\n${marker}<b>Fatal error</b>\n`],
  ['JSON of another shape', `\n${marker}{"ok":"yes"}\n`],
  ['half of an answer', `\n${marker}{"ok":true,"resu`],
])('has no answer in %s', (_, stdout) => {
  expect(findAnswer(stdout, marker)).toBeUndefined()
})
