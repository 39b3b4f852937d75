// Rotation by the real logrotate, of the panel's logs and of a site's.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { renderLogRotation, renderLogrotateConf, renderSiteLogRotation } from './render-logrotate.ts'
import { rotateLogs } from './rotate.ts'

const user = `reeve-rotation-${process.pid}`.slice(0, 31)
let ids: { uid: number; gid: number }

beforeAll(() => {
  execFileSync('/usr/sbin/useradd', ['--system', '--user-group', '--no-create-home', user])
  const number = (flag: string) => Number(execFileSync('/usr/bin/id', [flag, user], { encoding: 'utf8' }))
  ids = { uid: number('-u'), gid: number('-g') }
})

afterAll(() => {
  execFileSync('/usr/sbin/userdel', [user])
})

let root: string
beforeEach(() => {
  root = mkdtempSync('/var/tmp/reeve-rotation-')
  chmodSync(root, 0o755)
  return () => rmSync(root, { recursive: true, force: true })
})

/** What the embedded run and one site have. */
function layOut() {
  const paths = pathsBelow(root)
  const siteLogs = join(root, 'srv/sites/a.example/logs')
  for (const folder of [paths.logrotateFolder, join(paths.logs, 'a.example'), siteLogs])
    mkdirSync(folder, { recursive: true })
  chownSync(siteLogs, ids.uid, ids.gid)
  chmodSync(siteLogs, 0o700)
  writeFileSync(paths.logrotateConf, renderLogrotateConf(paths.logrotateFolder))
  const panel = renderLogRotation([`${paths.logs}/*/*.log`, `${paths.logs}/*.log`])
  writeFileSync(paths.logRotation, panel)
  const phpLog = join(siteLogs, 'php-error.log')
  writeFileSync(paths.siteLogRotation('site-1'), renderSiteLogRotation({ user, logs: [phpLog] }))
  return { paths, siteLogs, phpLog, accessLog: join(paths.logs, 'a.example/access.log') }
}

/** logrotate leaves alone what it sees for the first time, so its record says that all is two days old. */
function makeDue(state: string, ...logs: string[]) {
  const past = new Date(Date.now() - 2 * 24 * 3600 * 1000)
  const day = `${past.getFullYear()}-${past.getMonth() + 1}-${past.getDate()}-1:0:0`
  mkdirSync(join(state, '..'), { recursive: true })
  writeFileSync(state, `logrotate state -- version 2\n${logs.map((path) => `"${path}" ${day}\n`).join('')}`)
}

it('is what logrotate takes without a word', () => {
  const { paths, phpLog, accessLog } = layOut()
  writeFileSync(accessLog, 'x\n')
  writeFileSync(phpLog, 'x\n')
  chownSync(phpLog, ids.uid, ids.gid)
  const said = execFileSync('/usr/sbin/logrotate', ['--debug', paths.logrotateConf], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(said).not.toMatch(/error|warning/i)
})

it('keeps fourteen compressed days, and the writer keeps its file', async () => {
  const { paths, accessLog } = layOut()
  const writer = openSync(accessLog, 'a')
  for (let day = 1; day <= 16; day++) {
    writeSync(writer, `day ${day}\n`)
    makeDue(paths.logrotateState, accessLog)
    await rotateLogs({ paths })
  }
  writeSync(writer, 'today\n')
  closeSync(writer)
  expect(readFileSync(accessLog, 'utf8')).toBe('today\n')
  const kept = readdirSync(join(paths.logs, 'a.example')).sort()
  expect(kept).toEqual(
    ['access.log', ...Array.from({ length: 14 }, (_, n) => `access.log.${n + 1}.gz`)].sort(),
  )
  expect(gunzipSync(readFileSync(`${accessLog}.14.gz`)).toString()).toBe('day 3\n')
}, 60_000)

it('rotates the log of a site as its user', async () => {
  const { paths, phpLog, siteLogs } = layOut()
  writeFileSync(phpLog, 'PHP Warning\n')
  chownSync(phpLog, ids.uid, ids.gid)
  makeDue(paths.logrotateState, phpLog)
  await rotateLogs({ paths })
  expect(statSync(phpLog).size).toBe(0)
  expect(statSync(`${phpLog}.1.gz`).uid).toBe(ids.uid)
  expect(readdirSync(siteLogs).sort()).toEqual(['php-error.log', 'php-error.log.1.gz'])
})

it('follows no link that a site planted, and goes on with the other logs', async () => {
  const { paths, phpLog, siteLogs, accessLog } = layOut()
  const secret = join(root, 'secret')
  writeFileSync(secret, 'root only\n', { mode: 0o600 })
  symlinkSync(secret, phpLog)
  symlinkSync(root, `${phpLog}.1`)
  appendFileSync(accessLog, 'yesterday\n')
  makeDue(paths.logrotateState, phpLog, accessLog)
  await rotateLogs({ paths }).catch(() => undefined) // it reports the link
  expect(readFileSync(secret, 'utf8')).toBe('root only\n')
  expect(readdirSync(siteLogs).sort()).toEqual(['php-error.log', 'php-error.log.1'])
  expect(gunzipSync(readFileSync(`${accessLog}.1.gz`)).toString()).toBe('yesterday\n')
})

it.each(['/var/log/a b.log', '/var/log/{a}.log', '/var/log/a\n}', 'relative.log', '/var/../etc/*'])(
  'refuses to rotate %j',
  (path) => {
    expect(() => renderLogRotation([path])).toThrow(/cannot hold|not a normalised path/)
    expect(() => renderSiteLogRotation({ user: 'site-1', logs: [path] })).toThrow()
  },
)

it('refuses a user that is none', () => {
  expect(() => renderSiteLogRotation({ user: 'root root\n', logs: ['/a.log'] })).toThrow(/system user name/)
})
