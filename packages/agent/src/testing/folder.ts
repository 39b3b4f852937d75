// Folders for tests; they go when the tests of the file are over.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []

// Of hooks like this the last one runs first: what a test file has started, it has stopped by then.
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A new and empty one, whose name begins with `reeve-<name>-`. */
export function makeFolder(name: string, below: string = tmpdir()): string {
  const folder = mkdtempSync(join(below, `reeve-${name}-`))
  made.push(folder)
  return folder
}
