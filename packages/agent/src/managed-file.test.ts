import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  isAsWritten,
  lookAt,
  removeManagedFile,
  replaceFile,
  retireManagedFile,
  settleManagedFile,
  sha256,
  writeManagedFile,
  writeUnlessEdited,
} from './managed-file.ts'
import { observeFile } from './observe-file.ts'
import { openRegistry, type Registry } from './registry.ts'
import { makeFolder } from './testing/folder.ts'

let directory: string
let registry: Registry
let path: string

beforeEach(() => {
  directory = makeFolder('managed')
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

  it('never overwrites what somebody else changed, and opens one drift item about it', () => {
    writeManagedFile(registry, file('one\n'))
    writeFileSync(path, 'edited by hand\n')
    expect(() => writeManagedFile(registry, file('two\n'))).toThrow(/was changed by something else/)
    expect(() => writeManagedFile(registry, file('two\n'))).toThrow(registry.driftOf(path)?.id)
    expect(read()).toBe('edited by hand\n')
    expect(registry.listDrift()).toHaveLength(1)
  })

  it('leaves an edit alone when there is nothing new to write', () => {
    writeManagedFile(registry, file('one\n'))
    writeFileSync(path, 'edited by hand\n')
    for (let round = 0; round < 10; round++)
      expect(writeManagedFile(registry, file('one\n')).changed).toBe(false)
    expect(read()).toBe('edited by hand\n')
    expect(registry.driftOf(path)?.kind).toBe('edited')
  })

  it('takes an edit that is what it would write', () => {
    writeManagedFile(registry, file('one\n'))
    writeFileSync(path, 'two\n')
    writeManagedFile(registry, file('two\n'))
    expect(registry.findFile(path)?.sha256).toBe(sha256('two\n'))
    expect(registry.listDrift()).toEqual([])
  })

  it('does not write through a link or over a changed mode', () => {
    writeManagedFile(registry, file('one\n'))
    chmodSync(path, 0o666)
    expect(() => writeManagedFile(registry, file('two\n'))).toThrow(/was changed by something else/)
    unlinkSync(path)
    writeFileSync(join(directory, 'theirs'), 'theirs\n')
    symlinkSync(join(directory, 'theirs'), path)
    expect(() => writeManagedFile(registry, file('two\n'))).toThrow(/was changed by something else/)
    expect(readFileSync(join(directory, 'theirs'), 'utf8')).toBe('theirs\n')
  })

  it('writes a missing file anew', () => {
    writeManagedFile(registry, file('one\n'))
    unlinkSync(path)
    expect(writeManagedFile(registry, file('one\n')).changed).toBe(true)
    expect(read()).toBe('one\n')
  })

  it('lets a service start with an edited file, and with nothing else that is wrong', () => {
    writeManagedFile(registry, file('one\n'))
    writeFileSync(path, 'edited by hand\n')
    const logged: string[] = []
    writeUnlessEdited(registry, (message) => logged.push(message), file('two\n'))
    expect([read(), logged]).toEqual(['edited by hand\n', ['edited file left as it is']])
    const foreign = { ...file('two\n'), path: join(directory, 'foreign.conf') }
    writeFileSync(foreign.path, 'theirs\n')
    expect(() => writeUnlessEdited(registry, () => {}, foreign)).toThrow(/was not written by Reeve/)
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

describe('an accepted edit', () => {
  const rendered = (third: string) => `first\nsecond\n${third}\nfourth\nfifth\n`
  const edited = (third: string) => `first\nsecond\n${third}\nfourth\nby hand\n`
  const accept = (text: string, base: string) => {
    writeFileSync(path, text)
    settleManagedFile(registry, file(text), observeFile(path), { bytes: text, rendered: base })
  }

  it('is kept by every later render, merged with what changes elsewhere', () => {
    writeManagedFile(registry, file(rendered('third')))
    accept(edited('third'), rendered('third'))
    expect(writeManagedFile(registry, file(rendered('third'))).changed).toBe(false)
    expect(writeManagedFile(registry, file(rendered('new'))).changed).toBe(true)
    expect(read()).toBe(edited('new'))
    writeManagedFile(registry, file(rendered('newer')))
    expect(read()).toBe(edited('newer'))
    expect(registry.listDrift()).toEqual([])
  })

  it('is a conflict with a change of the same lines, and nothing is written', () => {
    writeManagedFile(registry, file(rendered('third')))
    accept(edited('third'), rendered('third'))
    const wanted = rendered('third').replace('fifth', 'sixth')
    expect(() => writeManagedFile(registry, file(wanted))).toThrow(/accepted edit of the very lines/)
    expect(read()).toBe(edited('third'))
    expect(registry.driftOf(path)).toMatchObject({ kind: 'conflict', wanted })
  })

  it('that was kept against a change stands when the change comes again, and when it is taken back', () => {
    writeManagedFile(registry, file(rendered('third')))
    const wanted = rendered('third').replace('fifth', 'sixth')
    const [bytes, base] = [edited('third'), rendered('third')]
    writeFileSync(path, bytes)
    const settle = (decided: string | null) =>
      settleManagedFile(registry, file(bytes), observeFile(path), { bytes, rendered: base, decided })
    settle(null)
    settle(wanted)
    for (const text of [wanted, base, wanted]) {
      writeManagedFile(registry, file(text))
      expect(read()).toBe(bytes)
      expect(registry.findFile(path)?.rendered).toBe(text)
    }
  })

  it('is over when a render says the same', () => {
    writeManagedFile(registry, file(rendered('third')))
    accept(edited('third'), rendered('third'))
    writeManagedFile(registry, file(edited('third')))
    expect(registry.findFile(path)?.rendered).toBeNull()
  })

  it('is taken back with the change it was merged into', () => {
    writeManagedFile(registry, file(rendered('third')))
    accept(edited('third'), rendered('third'))
    writeManagedFile(registry, file(rendered('new'))).undo()
    expect(read()).toBe(edited('third'))
    writeManagedFile(registry, file(rendered('newer')))
    expect(read()).toBe(edited('newer'))
  })

  it('is not taken when the file changed once more', () => {
    writeManagedFile(registry, file('one\n'))
    writeFileSync(path, 'seen\n')
    const seen = observeFile(path)
    writeFileSync(path, 'not seen\n')
    const settle = () => settleManagedFile(registry, file('one\n'), seen, { bytes: 'one\n', rendered: null })
    expect(settle).toThrow(/changed once more/)
    expect(read()).toBe('not seen\n')
  })
})

it('a decision that is taken back leaves the edit an edit, also after a crash on the way', () => {
  writeManagedFile(registry, file('one\n'))
  writeFileSync(path, 'edited\n')
  const seen = observeFile(path)
  settleManagedFile(registry, file('one\n'), seen, { bytes: 'one\n', rendered: null }).undo()
  expect(read()).toBe('edited\n')
  const { row, found } = lookAt(registry, path)
  expect(row && isAsWritten(row, found)).toBe(false)
})

it('a ledger of an earlier version is read and goes on', () => {
  const old = join(directory, 'old.db')
  const db = new DatabaseSync(old)
  db.exec(`CREATE TABLE files (
    path TEXT PRIMARY KEY, site_id TEXT, renderer TEXT NOT NULL, mode INTEGER NOT NULL,
    sha256 TEXT, intended_sha256 TEXT, bytes TEXT, intended_bytes TEXT) STRICT`)
  db.prepare('INSERT INTO files VALUES (?, NULL, ?, ?, ?, NULL, ?, NULL)').run(
    path,
    'test',
    0o640,
    sha256('one\n'),
    'one\n',
  )
  db.close()
  writeFileSync(path, 'one\n')
  chmodSync(path, 0o640)
  const later = openRegistry(old)
  expect(writeManagedFile(later, file('two\n')).changed).toBe(true)
  expect(later.findFile(path)).toMatchObject({ sha256: sha256('two\n'), uid: 0, gid: 0, rendered: null })
  later.close()
})

it('removing a file that is gone is no error', () => {
  writeManagedFile(registry, file('one\n'))
  unlinkSync(path)
  expect(removeManagedFile(registry, path)).toBe(false)
  expect(registry.findFile(path)).toBeUndefined()
})
