// Public keys in OpenSSH's form, taken apart to the last byte (RFC 4253 6.6, RFC 5656 3.1, RFC 8709 4, OpenSSH
// PROTOCOL.u2f). What parses here is one key of a known kind and nothing else: no option, certificate or second line.

export interface SshPublicKey {
  type: string
  /** The key as it goes over the wire. */
  blob: Uint8Array
  /** `<type> <base64>`, written anew. */
  text: string
  /** What followed the key, on one line and cut to 100 characters. */
  comment: string
}

export type ParsedKey = { key: SshPublicKey } | { problem: string }

const kinds: Readonly<Record<string, (fields: Fields) => string | undefined>> = {
  'ssh-ed25519': (fields) => edwards(fields),
  'ecdsa-sha2-nistp256': (fields) => curve(fields, 'nistp256', 65),
  'ecdsa-sha2-nistp384': (fields) => curve(fields, 'nistp384', 97),
  'ecdsa-sha2-nistp521': (fields) => curve(fields, 'nistp521', 133),
  'ssh-rsa': (fields) => rsa(fields),
  'sk-ssh-ed25519@openssh.com': (fields) => edwards(fields) ?? application(fields),
  'sk-ecdsa-sha2-nistp256@openssh.com': (fields) => curve(fields, 'nistp256', 65) ?? application(fields),
}

const broken = 'is damaged: its parts do not fit its type. Copy it again, whole.'

/** One line as `ssh-keygen` writes it to a `.pub` file, or what is wrong with it. */
export function parsePublicKey(line: string): ParsedKey {
  const text = line.trim()
  if (/-----BEGIN/.test(text)) {
    return { problem: 'is a private key or in another form; give the line of the file that ends in .pub.' }
  }
  if (/[\r\n\0]/.test(text)) return { problem: 'must be a single line.' }
  const [, type = '', base64 = '', rest = ''] = /^(\S+)[ \t]+(\S+)(.*)$/.exec(text) ?? []
  const check = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (!check) return { problem: unknownKind(type) }
  const blob = fromBase64(base64)
  if (!blob) return { problem: broken }
  const fields = readFields(blob)
  const problem = fields.text() === type ? check(fields) : broken
  if (problem !== undefined) return { problem }
  if (!fields.isAtEnd()) return { problem: broken }
  return { key: { type, blob, text: `${type} ${base64}`, comment: cleanComment(rest) } }
}

function unknownKind(type: string): string {
  if (type.endsWith('-cert-v01@openssh.com')) return 'is a certificate; give the plain public key.'
  if (type === 'ssh-dss')
    return 'is a DSA key, which SSH servers no longer take; make one with "ssh-keygen -t ed25519".'
  return `must begin with its type, like ${Object.keys(kinds)[0]}; options before it are not taken.`
}

interface Fields {
  /** The next length-prefixed field; empty when there is none. */
  bytes(): Uint8Array
  text(): string
  isAtEnd(): boolean
}

function readFields(blob: Uint8Array): Fields {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  let at = 0
  const bytes = () => {
    if (at + 4 > blob.length) return new Uint8Array()
    const length = view.getUint32(at)
    if (at + 4 + length > blob.length) return new Uint8Array()
    const field = blob.subarray(at + 4, at + 4 + length)
    at += 4 + length
    return field
  }
  const text = () => String.fromCharCode(...bytes().subarray(0, 100))
  return { bytes, text, isAtEnd: () => at === blob.length }
}

const edwards = (fields: Fields) => (fields.bytes().length === 32 ? undefined : broken)

function curve(fields: Fields, name: string, length: number): string | undefined {
  if (fields.text() !== name) return broken
  const point = fields.bytes()
  // 4: uncompressed, the only form OpenSSH takes.
  return point.length === length && point[0] === 4 ? undefined : broken
}

const leastBits = 2048
const mostBits = 16_384

function rsa(fields: Fields): string | undefined {
  const exponent = positive(fields.bytes())
  const modulus = positive(fields.bytes())
  if (!exponent || !modulus || exponent.length > 8 || ((exponent.at(-1) ?? 0) & 1) === 0) return broken
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24
  if (bits >= leastBits && bits <= mostBits) return undefined
  return `is an RSA key of ${bits} bits; between ${leastBits} and ${mostBits} are taken. Make one with "ssh-keygen -t ed25519".`
}

/** An mpint's magnitude (RFC 4251 5): shortest form, greater than zero. */
function positive(field: Uint8Array): Uint8Array | undefined {
  const [first = 0, second = 0] = field
  if (field.length === 0 || first >= 0x80) return undefined
  if (first !== 0) return field
  return field.length > 1 && second >= 0x80 ? field.subarray(1) : undefined
}

const application = (fields: Fields) => (/^[\x21-\x7e]+$/.test(fields.text()) ? undefined : broken)

/** Undefined unless it is the one way to write these bytes. */
function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]{40,12000}={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  const binary = atob(text)
  return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined
}

const cleanComment = (rest: string): string =>
  rest
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 100)
