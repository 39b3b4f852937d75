// What a log line may do to who reads it: nothing. Programs write into their logs what strangers sent them.
import { isUtf8 } from 'node:buffer'

/** Longer lines are cut, with a mark that says so. */
export const longestLine = 4000

// Control characters of both sets, line separators, and what turns the direction of writing around.
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The line as text on one line; what is not UTF-8 becomes \xNN byte by byte. */
export function shownLine(line: Buffer): string {
  const rest = line.length - longestLine
  if (rest > 0) return `${shownText(wholeCharacters(line.subarray(0, longestLine)))} … (${rest} more bytes)`
  return shownText(line)
}

function shownText(line: Buffer): string {
  const text = isUtf8(line) ? line.toString('utf8') : Array.from(line, shownByte).join('')
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x100 ? hexByte(code) : `\\u{${code.toString(16)}}`
  })
}

const shownByte = (byte: number): string => (byte < 0x80 ? String.fromCharCode(byte) : hexByte(byte))

const hexByte = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`

/** Without the beginning of a character whose end was cut off. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let cut = 0; cut < 4; cut++) {
    const shorter = bytes.subarray(0, bytes.length - cut)
    if (isUtf8(shorter)) return shorter
  }
  return bytes
}
