import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countLines, pageCacheStats } from './page-cache-stats.ts'

const line = (outcome: string, agent = 'curl', at = '21/Nov/2026:20:00:05 +0200') =>
  `127.0.0.1 - - [${at}] "GET / HTTP/2.0" 200 512 "-" "${agent}" 0.004 ${outcome}\n`

test('what nginx says at the end of a line counts, and nothing that a visitor sent', () => {
  const text = [
    line('HIT'),
    line('STALE'),
    line('UPDATING'),
    line('MISS'),
    line('EXPIRED'),
    line('BYPASS'),
    line('-', 'fake HIT'),
    line('-', '\\x22 0.001 HIT\\x0A'),
    'torn off 0.001 HI',
  ].join('')
  expect(countLines(text)).toEqual({ hits: 3, misses: 2, bypassed: 1, since: '2026-11-21T18:00:05.000Z' })
  expect(countLines('')).toEqual({ hits: 0, misses: 0, bypassed: 0, since: null })
  expect(countLines(line('HIT', 'x', '99/Foo/2026:99:00:00 +0000')).since).toBeNull()
})

test('only the newest part of a large log is read, and a missing one is empty', async () => {
  const folder = mkdtempSync('/var/tmp/reeve-log-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'access.log')
  writeFileSync(path, line('MISS').repeat(20_000) + line('HIT'))
  const counted = await pageCacheStats(path, join(folder, 'none'))
  expect(counted).toMatchObject({ hits: 1, files: 0, bytes: 0 })
  expect(counted.misses).toBeGreaterThan(1000)
  expect(counted.misses).toBeLessThan(20_000)
  expect(await pageCacheStats(join(folder, 'missing'), folder)).toMatchObject({ hits: 0, since: null })
})
