// The one-time token that lets the first person in: a file only root and the panel can read, there exactly
// as long as no account exists.
import { timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { newToken } from '../ids.ts'
import { sha256 } from './secrets.ts'

export async function ensureSetupToken(path: string, setupComplete: boolean): Promise<void> {
  if (setupComplete) return rmSync(path, { force: true })
  if (readSetupToken(path) === undefined) {
    rmSync(path, { force: true })
    await writeFile(path, `${newToken()}\n`, { mode: 0o600, flag: 'wx', flush: true })
  }
}

export function isSetupToken(path: string, given: string): boolean {
  const expected = readSetupToken(path)
  if (expected === undefined) return false
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)))
}

export const removeSetupToken = (path: string): void => rmSync(path, { force: true })

export function readSetupToken(path: string): string | undefined {
  try {
    const token = readFileSync(path, 'utf8').trim()
    return /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined
  } catch {
    return undefined
  }
}
