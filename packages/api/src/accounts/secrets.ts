// The key file outside the database: encrypts TOTP seeds (AES-256-GCM) and signs device cookies.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface Secrets {
  /** `context` binds the ciphertext to its row. */
  encrypt(plain: Buffer, context: string): Buffer
  decrypt(sealed: Uint8Array, context: string): Buffer
  sign(text: string): string
}

const nonceLength = 12
const tagLength = 16

export function openSecrets(path: string): Secrets {
  const master = readOrCreateKey(path)
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', master, '', purpose, 32))
  const sealKey = derive('reeve totp seeds')
  const signKey = derive('reeve device cookies')
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(context))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    decrypt(sealed, context) {
      const bytes = Buffer.from(sealed)
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, nonceLength))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagLength))
      return Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()])
    },
    sign: (text) => createHmac('sha256', signKey).update(text).digest('base64url'),
  }
}

function readOrCreateKey(path: string): Buffer {
  let descriptor: number
  try {
    descriptor = openSync(path, 'wx', 0o600)
  } catch {
    const key = readFileSync(path)
    if (key.length === 32) return key
    throw new AppError('refused', `The key file ${path} is damaged. Put back a copy of it and start again.`)
  }
  try {
    const key = randomBytes(32)
    writeSync(descriptor, key)
    fsyncSync(descriptor)
    return key
  } finally {
    closeSync(descriptor)
  }
}
