import { expect, it } from 'vitest'
import { toCsv } from './csv.ts'

it('quotes what needs quoting', () => {
  expect(
    toCsv(
      ['a', 'b'],
      [
        ['x,y', 'say "hi"'],
        ['line\nbreak', null],
        [1, 'plain'],
      ],
    ),
  ).toBe('a,b\r\n"x,y","say ""hi"""\r\n"line\nbreak",\r\n1,plain\r\n')
})

it('lets no cell become a formula', () => {
  expect(toCsv(['a'], [['=HYPERLINK("https://evil.test")'], ['+1'], ['-1'], ['@x']])).toBe(
    `a\r\n"'=HYPERLINK(""https://evil.test"")"\r\n'+1\r\n'-1\r\n'@x\r\n`,
  )
})
