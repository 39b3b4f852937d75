import { randomBytes } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** A letter for the kind and 75 random bits: ids tell neither order nor number. */
export function newId(kind: 's' | 't' | 'a' | 'e' | 'c' | 'd'): string {
  let id: string = kind
  for (const byte of randomBytes(15)) id += alphabet[byte & 31]
  return id
}

/** 256 random bits for cookies and one-time tokens. */
export const newToken = (): string => randomBytes(32).toString('base64url')
