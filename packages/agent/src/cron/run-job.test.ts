import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pidsOfUser, waitUntil } from '../processes.ts'
import type { RegisteredSite } from '../registry.ts'
import { siteUserOf } from '../sites/user.ts'
import { keptBytes } from './output.ts'
import { runJob } from './run-job.ts'
import { makeTestServer, type TestServer } from './testing.ts'

let server: TestServer
let site: RegisteredSite
beforeAll(() => {
  server = makeTestServer()
  site = server.addSite('a.example.com')
})
afterAll(() => server[Symbol.dispose]())

const run = (command: string, timeout_s = 60, signal = new AbortController().signal) =>
  runJob(server, site, { command, timeout_s }, signal)
const uid = () => siteUserOf(server.paths, site).uid

describe('a job', () => {
  it("runs as the site's user at the lowest priority, in its served release, with a shell's whole language", async () => {
    const ended = await run(
      'id -u; nice; pwd; echo "$HOME"; for i in 1 2; do echo "it\'s $i"; done | tr a-z A-Z >&2',
    )
    const { home } = siteUserOf(server.paths, site)
    expect(ended).toEqual({
      exit_code: 0,
      outcome: 'succeeded',
      output: expect.stringContaining(`${uid()}\n10\n${home}/releases/one\n${home}/tmp/php\n`),
    })
    expect(ended.output).toContain("IT'S 1\nIT'S 2\n")
  })

  it("has the site's PHP version as php, with what pools may not have turned off", async () => {
    const ask = `php -r 'echo json_encode([PHP_MAJOR_VERSION.".".PHP_MINOR_VERSION, function_exists("apcu_fetch") && apcu_enabled(), ini_get("opcache.restrict_api"), ini_get("memory_limit"), extension_loaded("mysqli")]);'`
    const { output } = await run(ask)
    expect(JSON.parse(output)).toEqual([site.spec.php_version, false, '/nonexistent', '512M', true])
  })

  it('sees its own site alone, has no rights to gain, and has the network that PHP has', async () => {
    const outside = mkdtempSync('/var/tmp/reeve-outside-')
    writeFileSync(join(outside, 'secret'), 'secret', { mode: 0o644 })
    const other = siteUserOf(server.paths, server.addSite('b.example.com')).home
    const { output } = await run(
      `cat ${outside}/secret ${server.paths.registry} /etc/shadow; ls ${other} /root; grep -c . /proc/net/dev; grep NoNewPrivs /proc/self/status; ls -d /proc/[0-9]* | wc -l`,
    )
    rmSync(outside, { recursive: true })
    expect(output.match(/No such file or directory/g)).toHaveLength(5)
    expect(output).toContain('NoNewPrivs:\t1')
    expect(Number(output.trim().split('\n').at(-1))).toBeLessThan(8)
    const hostInterfaces = readFileSync('/proc/net/dev', 'utf8').trim().split('\n').length
    expect(output.split('\n')).toContain(String(hostInterfaces))
  })

  it('reports how it failed', async () => {
    expect(await run('echo out; exit 7')).toEqual({ exit_code: 7, outcome: 'failed', output: 'out\n' })
    expect((await run('no-such-program')).exit_code).toBe(127)
    expect((await run('kill -9 $$')).outcome).toBe('failed')
  })

  it('keeps the end of what it prints, without what could rewrite a terminal', async () => {
    const ended = await run("yes 'much text' | head -c 10000000; printf '\\033[2Jend\\r\\nüber'")
    expect(ended.outcome).toBe('succeeded')
    expect(ended.output).toMatch(/^… \(earlier output is left out\)\n/)
    expect(ended.output.endsWith('\\x1b[2Jend\nüber')).toBe(true)
    expect(Buffer.byteLength(ended.output)).toBeLessThan(keptBytes + 100)
  })
})

describe('a run is ended', () => {
  const stubborn =
    "trap '' TERM HUP; setsid sh -c 'trap \"\" TERM; sleep 300' & (sleep 300 &) ; echo up; sleep 300"

  it('at its deadline, with everything that it started', async () => {
    const ended = await run(stubborn, 6)
    expect(ended).toEqual({ exit_code: null, outcome: 'timed_out', output: 'up\n' })
    expect(await waitUntil(() => pidsOfUser(uid()).length === 0, 10_000)).toBe(true)
  })

  it('when it is taken back', async () => {
    const abort = new AbortController()
    const running = run(stubborn, 60, abort.signal)
    expect(await waitUntil(() => pidsOfUser(uid()).length >= 3, 20_000)).toBe(true)
    abort.abort()
    expect((await running).outcome).toBe('interrupted')
    expect(await waitUntil(() => pidsOfUser(uid()).length === 0, 10_000)).toBe(true)
  })
})
