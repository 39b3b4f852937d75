// Lays the PHP parts that all sites share where their links lead: root's, readable by everybody.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../managed-file.ts'

/** Copies what differs, a file at a time and each in one step, so that a site never runs half a file. */
export function installCmsParts(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) installCmsParts(source, target)
    else if (entry.isFile()) installFile(source, target)
  }
}

function installFile(source: string, target: string): void {
  const bytes = readFileSync(source)
  if (existsSync(target) && readFileSync(target).equals(bytes)) return
  replaceFile(target, bytes, { mode: 0o644 })
}
