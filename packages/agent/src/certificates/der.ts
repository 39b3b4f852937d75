// The little of DER (X.690) that a certificate request and a look into a certificate need.

export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

/** One element: tag, length, contents. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

function lengthOf(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size])
  if (size < 0x100) return Buffer.from([0x81, size])
  if (size < 0x1_0000) return Buffer.from([0x82, size >> 8, size & 0xff])
  throw new RangeError(`an element of ${size} bytes is longer than this writer can say`)
}

/** `2.5.29.17` and the like. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

export interface Element {
  tag: number
  contents: Buffer
}

/** The elements that `bytes` is made of, one after the other. */
export function readElements(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const { size, start } = readLength(bytes, at + 1)
    if (start + size > bytes.length) throw new RangeError('an element is longer than what holds it')
    elements.push({ tag: bytes.readUInt8(at), contents: bytes.subarray(start, start + size) })
    at = start + size
  }
  return elements
}

function readLength(bytes: Buffer, at: number): { size: number; start: number } {
  const first = bytes.readUInt8(at)
  if (first < 0x80) return { size: first, start: at + 1 }
  const count = first & 0x7f
  if (count === 0 || count > 4) throw new RangeError('an element has a length that DER does not know')
  return { size: bytes.readUIntBE(at + 1, count), start: at + 1 + count }
}
