// The end of what a job printed, as text that cannot rewrite a terminal.

export const keptBytes = 64 * 1024

const unsafe = /[\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]|(?![\n\t])\p{Cc}/gu

export interface OutputTail {
  take(chunk: Buffer): void
  text(): string
}

export function createOutputTail(): OutputTail {
  let kept: Buffer[] = []
  let size = 0
  let isCut = false
  const compact = () => {
    const all = Buffer.concat(kept)
    isCut ||= all.length > keptBytes
    const rest = all.subarray(Math.max(0, all.length - keptBytes))
    kept = [rest]
    size = rest.length
  }
  return {
    take(chunk) {
      kept.push(chunk)
      size += chunk.length
      if (size > 4 * keptBytes) compact()
    },
    text() {
      compact()
      const text = Buffer.concat(kept).toString('utf8').replaceAll('\r\n', '\n')
      const safe = text.replace(unsafe, (character) => {
        const code = character.codePointAt(0) ?? 0
        return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
      })
      return isCut ? `… (earlier output is left out)\n${safe}` : safe
    },
  }
}
