// The weight of the interface, measured on a build of its own so that an old dist/ cannot pass for the new one.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'

interface Chunk {
  file: string
  isEntry?: boolean
  isDynamicEntry?: boolean
  imports?: string[]
  css?: string[]
}
type Manifest = Record<string, Chunk>

const entryBudgetKb = 150
const routeBudgetKb = 30
const cssBudgetKb = 12

let folder: string
let manifest: Manifest

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-web-'))
  // Vitest sets NODE_ENV, and with it React's development build would be measured.
  const env = { ...process.env, NODE_ENV: 'production' }
  const vite = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js')
  const options = ['build', '--manifest', '--emptyOutDir', '--outDir', folder]
  await promisify(execFile)(process.execPath, [vite, ...options], { cwd: import.meta.dirname, env })
  // Vite's own format, written by the build above.
  manifest = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8')) as Manifest
}, 60_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

async function gzipKb(files: Iterable<string>): Promise<number> {
  let bytes = 0
  for (const file of files) bytes += gzipSync(await readFile(join(folder, file)), { level: 9 }).length
  return bytes / 1024
}

/** The chunk and everything it imports statically. */
function closure(key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key]
  if (!chunk || found.has(key)) return found
  found.add(key)
  for (const imported of chunk.imports ?? []) closure(imported, found)
  return found
}

const filesOf = (keys: Iterable<string>): string[] => [...keys].map((key) => manifest[key]?.file ?? key)

function entryKey(): string {
  const key = Object.keys(manifest).find((name) => manifest[name]?.isEntry)
  if (key === undefined) throw new Error('The build has no entry.')
  return key
}

it(`starts with at most ${entryBudgetKb} KB of script`, async () => {
  expect(await gzipKb(filesOf(closure(entryKey())))).toBeLessThanOrEqual(entryBudgetKb)
})

it(`needs at most ${routeBudgetKb} KB more for any page`, async () => {
  const loaded = closure(entryKey())
  const pages = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry)
  expect(pages.length).toBeGreaterThan(8)
  for (const page of pages) {
    const added = [...closure(page)].filter((key) => !loaded.has(key))
    expect(await gzipKb(filesOf(added)), page).toBeLessThanOrEqual(routeBudgetKb)
  }
})

it(`has at most ${cssBudgetKb} KB of styles`, async () => {
  const styles = new Set(Object.values(manifest).flatMap((chunk) => chunk.css ?? []))
  expect(styles.size).toBeGreaterThan(0)
  expect(await gzipKb(styles)).toBeLessThanOrEqual(cssBudgetKb)
})

it('keeps the page free of what the content security policy refuses', async () => {
  const html = await readFile(join(folder, 'index.html'), 'utf8')
  expect(html).toContain('<script type="module"')
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i)
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
})
