// What the site put in the place of its own log.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import { beforeEach, expect, it } from 'vitest'
import type { SiteUser } from '../as-site-user.ts'
import { withLogFile, withSiteLogFile } from './source.ts'
import { tail } from './tail.ts'

const uid = 59_991 // the end of the range of site users; no account needs to exist for a uid
let folder: string
let site: SiteUser
let path: string

beforeEach(() => {
  folder = mkdtempSync('/var/tmp/reeve-site-log-')
  const home = join(folder, 'home')
  mkdirSync(join(home, 'logs'), { recursive: true })
  chownSync(join(home, 'logs'), uid, uid)
  site = { domain: Domain.parse('a.example.com'), user: 'site-39991', uid, gid: uid, home }
  path = join(home, 'logs/php-error.log')
  return () => rmSync(folder, { recursive: true })
})

const request = { lines: 10, cursor: null, filter: null }
const read = () => withSiteLogFile({ path, site }, (log) => tail(log, request))

it('is read and followed as the site', async () => {
  writeFileSync(path, 'PHP Warning\n\xff\n', { encoding: 'latin1', mode: 0o600 })
  chownSync(path, uid, uid)
  const first = await read()
  expect(first?.lines).toEqual(['PHP Warning', '\\xff'])
  appendFileSync(path, 'PHP Notice\n')
  const cursor = first?.cursor ?? null
  expect((await withSiteLogFile({ path, site }, (log) => tail(log, { ...request, cursor })))?.lines).toEqual([
    'PHP Notice',
  ])
})

it('may be ten gigabytes long', async () => {
  writeFileSync(path, '')
  truncateSync(path, 10 * 1024 ** 3)
  appendFileSync(path, '\nthe end\n')
  chownSync(path, uid, uid)
  expect(
    (await withSiteLogFile({ path, site }, (log) => tail(log, { ...request, lines: 1 })))?.lines,
  ).toEqual(['the end'])
})

it('that is missing is no log', async () => {
  expect(await read()).toBeUndefined()
})

it.each(['/etc/passwd', '/dev/zero', '/proc/1/environ'])('that is a link to %s is no log', async (target) => {
  symlinkSync(target, path)
  expect(await read()).toBeUndefined()
})

it('that is a pipe is no log and holds nobody up', async () => {
  execFileSync('/usr/bin/mkfifo', [path])
  expect(await read()).toBeUndefined()
})

it('that is a hard link to a file of root cannot be read by it', async () => {
  writeFileSync(join(folder, 'secret'), 'root only\n', { mode: 0o600 })
  linkSync(join(folder, 'secret'), path)
  await expect(read()).rejects.toThrow('Permission denied')
})

it('root follows no link in its own folders either', async () => {
  symlinkSync('/etc/passwd', path)
  expect(await withLogFile(path, (log) => tail(log, request))).toBeUndefined()
})
