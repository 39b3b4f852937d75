import { describe, expect, it } from 'vitest'
import { longestLine, shownLine } from './lines.ts'

const shown = (text: string) => shownLine(Buffer.from(text))

describe('a line', () => {
  it('stays as it is when it is text', () => {
    expect(shown('2026/01/01 "GET /größe?a=1" 東京 😀 \\x1b')).toBe(
      '2026/01/01 "GET /größe?a=1" 東京 😀 \\x1b',
    )
  })

  it.each([
    ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
    ['a\rb\tc\0d', 'a\\x0db\\x09c\\x00d'],
    ['\u009b31m', '\\x9b31m'],
    ['a\u2028b', 'a\\u{2028}b'],
    ['\u202egnp.exe', '\\u{202e}gnp.exe'],
  ])('cannot rewrite a terminal: %j', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it('shows bytes that are no UTF-8', () => {
    expect(shownLine(Buffer.from([0x61, 0xff, 0xc3, 0x62]))).toBe('a\\xff\\xc3b')
  })

  it('is cut when it is very long, and not within a character', () => {
    const line = Buffer.from('é'.repeat(longestLine))
    expect(shownLine(line)).toBe(`${'é'.repeat(longestLine / 2)} … (${longestLine} more bytes)`)
    const odd = Buffer.from(`a${'é'.repeat(longestLine)}`)
    expect(shownLine(odd).startsWith(`a${'é'.repeat(longestLine / 2 - 1)} … `)).toBe(true)
  })

  it('holds nothing but printable characters, whatever comes', () => {
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(Array.from({ length: 40 }, () => Math.floor(Math.random() * 256)))
      expect(shownLine(bytes)).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
    }
  })
})
