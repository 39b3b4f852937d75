import { mkdtempSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  removeManagedFile,
  replaceFile,
  retireManagedFile,
  sha256,
  writeManagedFile,
} from './managed-file.ts'
import { openRegistry, type Registry } from './registry.ts'

let directory: string
let registry: Registry
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-managed-'))
  registry = openRegistry(join(directory, 'registry.db'))
  path = join(directory, 'site.conf')
})

const file = (text: string) => ({ path, text, mode: 0o640, renderer: 'test', siteId: null })
const read = () => readFileSync(path, 'utf8')

describe('writing', () => {
  it('writes text and mode, and changes nothing when repeated', () => {
    expect(writeManagedFile(registry, file('one\n')).changed).toBe(true)
    const { ino, mode } = statSync(path)
    expect(mode & 0o777).toBe(0o640)
    expect(writeManagedFile(registry, file('one\n')).changed).toBe(false)
    expect(statSync(path).ino).toBe(ino)
  })

  it('never overwrites what somebody else changed', () => {
    writeManagedFile(registry, file('one\n'))
    writeFileSync(path, 'edited by hand\n')
    expect(() => writeManagedFile(registry, file('two\n'))).toThrow(/was changed by something else/)
    expect(read()).toBe('edited by hand\n')
  })

  it('never overwrites a file it did not write', () => {
    writeFileSync(path, 'theirs\n')
    expect(() => writeManagedFile(registry, file('ours\n'))).toThrow(/was not written by Reeve/)
    expect(read()).toBe('theirs\n')
  })

  it('takes a file that a crash left between the ledger and the rename for its own, on both sides', () => {
    writeManagedFile(registry, file('one\n'))
    registry.intendFile({ ...file('two\n'), sha256: sha256('two\n') })
    expect(writeManagedFile(registry, file('three\n')).changed).toBe(true) // the rename had not happened
    registry.intendFile({ ...file('four\n'), sha256: sha256('four\n') })
    replaceFile(path, 'four\n', { mode: 0o640 })
    expect(writeManagedFile(registry, file('five\n')).changed).toBe(true) // the rename had happened
    expect(read()).toBe('five\n')
  })

  it('leaves no temporary file, and names it so that no include of *.conf matches', () => {
    writeManagedFile(registry, file('one\n'))
    writeFileSync(join(directory, '.site.conf.reeve-new'), 'left by a crash')
    writeManagedFile(registry, file('two\n'))
    expect(readdirSync(directory).filter((name) => name.includes('reeve-new'))).toEqual([])
    expect('.site.conf.reeve-new').not.toMatch(/\.conf$/)
  })
})

describe('taking back', () => {
  it('restores the bytes before, so that a next render finds its own file', () => {
    writeManagedFile(registry, file('one\n'))
    writeManagedFile(registry, file('two\n')).undo()
    expect(read()).toBe('one\n')
    expect(writeManagedFile(registry, file('three\n')).changed).toBe(true)
  })

  it('removes a file that was new', () => {
    writeManagedFile(registry, file('one\n')).undo()
    expect(readdirSync(directory)).not.toContain('site.conf')
    expect(registry.findFile(path)).toBeUndefined()
  })

  it('brings a retired file back', () => {
    writeManagedFile(registry, file('one\n'))
    const retired = retireManagedFile(registry, path)
    expect(readdirSync(directory)).not.toContain('site.conf')
    retired.undo()
    expect(read()).toBe('one\n')
  })
})

it('removing a file that is gone is no error', () => {
  writeManagedFile(registry, file('one\n'))
  unlinkSync(path)
  expect(removeManagedFile(registry, path)).toBe(false)
  expect(registry.findFile(path)).toBeUndefined()
})
