import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { withLogFile } from './source.ts'
import { scannedBytes, tail, type TailRequest } from './tail.ts'

let path: string
beforeEach(() => {
  const folder = mkdtempSync('/var/tmp/reeve-tail-')
  path = join(folder, 'a.log')
  return () => rmSync(folder, { recursive: true })
})

const read = async (request: Partial<TailRequest> = {}) => {
  const answer = await withLogFile(path, (log) =>
    tail(log, { lines: 200, cursor: null, filter: null, ...request }),
  )
  if (!answer) throw new Error('there is no log')
  return answer
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')

describe('the newest lines', () => {
  it('are all of a short log', async () => {
    writeFileSync(path, 'one\ntwo\r\nthree')
    expect(await read()).toMatchObject({ lines: ['one', 'two', 'three'], truncated: false })
  })

  it('are the last ones of a long log, which says that there are more', async () => {
    writeFileSync(path, numbered(1, 1000))
    expect(await read({ lines: 2 })).toMatchObject({ lines: ['line 999', 'line 1000'], truncated: true })
  })

  it('of an empty log are none', async () => {
    writeFileSync(path, '')
    expect(await read()).toMatchObject({ lines: [], truncated: false })
  })

  it('are filtered by a text, whatever its case and however odd', async () => {
    writeFileSync(path, 'GET /a\nget /B.*\n[error] x\n')
    expect((await read({ filter: 'GET' })).lines).toEqual(['GET /a', 'get /B.*'])
    expect((await read({ filter: '.*' })).lines).toEqual(['get /B.*'])
    expect((await read({ filter: '[ERR' })).lines).toEqual(['[error] x'])
  })

  it('come from the end of a log of ten gigabytes at once', async () => {
    writeFileSync(path, '')
    truncateSync(path, 10 * 1024 ** 3)
    appendFileSync(path, '\nthe end\n')
    expect(statSync(path).blocks).toBeLessThan(1000) // a sparse file
    const { lines, truncated } = await read({ lines: 1 })
    expect({ lines, truncated }).toEqual({ lines: ['the end'], truncated: true })
  })

  it('of a log that is one endless line are one cut line', async () => {
    writeFileSync(path, Buffer.alloc(10 * 1024 * 1024, 'x'))
    const { lines, truncated } = await read()
    expect(lines).toHaveLength(1)
    expect(lines[0]?.length).toBeLessThan(4100)
    expect(lines[0]).toContain(`(${scannedBytes - 4000} more bytes)`)
    expect(truncated).toBe(true)
  })
})

describe('following', () => {
  it('gives what was added, once', async () => {
    writeFileSync(path, 'one\n')
    const first = await read()
    expect(await read({ cursor: first.cursor })).toMatchObject({ lines: [], truncated: false })
    appendFileSync(path, 'two\nthree\n')
    const second = await read({ cursor: first.cursor })
    expect(second).toMatchObject({ lines: ['two', 'three'], truncated: false })
    expect((await read({ cursor: second.cursor })).lines).toEqual([])
  })

  it('waits for the end of a line that is being written', async () => {
    writeFileSync(path, 'one\n')
    const first = await read()
    appendFileSync(path, 'half')
    const second = await read({ cursor: first.cursor })
    expect(second.lines).toEqual([])
    appendFileSync(path, ' whole\n')
    expect((await read({ cursor: second.cursor })).lines).toEqual(['half whole'])
  })

  it('goes on after the log was copied away and emptied', async () => {
    writeFileSync(path, numbered(1, 10))
    const { cursor } = await read()
    truncateSync(path, 0)
    appendFileSync(path, 'new\n')
    expect((await read({ cursor })).lines).toEqual(['new'])
  })

  it('notices that an emptied log has grown beyond where it was', async () => {
    writeFileSync(path, numbered(1, 3))
    const { cursor } = await read()
    truncateSync(path, 0)
    appendFileSync(path, numbered(7, 20))
    const answer = await read({ cursor })
    expect(answer.lines.at(0)).toBe('line 7')
    expect(answer.lines).toHaveLength(14)
  })

  it('goes on in the file that took its place', async () => {
    writeFileSync(path, numbered(1, 10))
    const { cursor } = await read()
    renameSync(path, `${path}.1`)
    writeFileSync(path, 'new\n')
    expect((await read({ cursor })).lines).toEqual(['new'])
  })

  it('says that it left out what came too fast', async () => {
    writeFileSync(path, 'one\n')
    const { cursor } = await read()
    appendFileSync(path, `${'x'.repeat(100)}\n`.repeat(20_000))
    const answer = await read({ cursor, lines: 10 })
    expect(answer.lines).toHaveLength(10)
    expect(answer.truncated).toBe(true)
    expect((await read({ cursor: answer.cursor })).lines).toEqual([])
  })

  it.each(['x', 'zz:zz', 'zz:zz:00000000', `${'9'.repeat(50)}:0:00000000`, '0:-1:00000000'])(
    'begins anew with a cursor that is none: %s',
    async (cursor) => {
      writeFileSync(path, 'one\n')
      expect((await read({ cursor })).lines).toEqual(['one'])
    },
  )
})
