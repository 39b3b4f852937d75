// Cron jobs on a running panel: in the site's sandbox, by the clock, across a killed agent and without the API.
import {
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { CronJob } from '@reeve/contract/cron.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { processesOf, type Reeve, startReeve } from '../src/reeve.ts'
import { findTraces, sql } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

let reeve: Reeve
let panel: Panel
let blog: Site
let plain: Site

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  blog = await panel.createSite({ ...wordpressFields, domain: 'cron-blog.example.com', title: 'A blog' })
  plain = await panel.createSite({ domain: 'cron-plain.example.com', type: 'php' })
}, 240_000)

afterAll(async () => {
  const { root } = reeve
  await reeve[Symbol.asyncDispose]()
  expect(processesOf(root)).toEqual([])
}, 120_000)

const home = (site: Site) => join(reeve.root, 'srv/sites', site.domain)
const uidOf = (site: Site) => 20_000 + Number(site.system_user?.split('-')[1])
const jobsOf = async (site: Site) =>
  (await panel.call<{ jobs: CronJob[] }>('GET', `/api/sites/${site.id}/cron`)).body.jobs
const create = (site: Site, body: object) => panel.call<CronJob>('POST', `/api/sites/${site.id}/cron`, body)
const runNow = (id: string) => panel.call<CronJob>('POST', `/api/cron/${id}/run`)

const find = async (site: Site, id: string) => (await jobsOf(site)).find((job) => job.id === id)
const lastRun = async (site: Site, id: string) => (await find(site, id))?.last_run ?? null

/** The job's last run once it has ended. */
async function ended(site: Site, id: string, timeoutMs = 60_000) {
  const outcome = async () => (await lastRun(site, id))?.outcome ?? 'running'
  await expect.poll(outcome, { timeout: timeoutMs, interval: 200 }).not.toBe('running')
  return await lastRun(site, id)
}

/** What jobs of the site that sleep have running; its PHP workers come and go by themselves. */
const processes = (site: Site) =>
  processesOfUser(uidOf(site)).filter((title) => title.includes('sleep 300')).length

let byTheClock: CronJob

it('takes a job, and shows its next three times', async () => {
  const created = await create(plain, {
    schedule: '* * * * *',
    command: 'echo "by the clock" >> "$HOME/clock"',
  })
  expect(created.status).toBe(201)
  byTheClock = created.body
  expect(byTheClock).toMatchObject({
    site_id: plain.id,
    enabled: true,
    timeout_s: 300,
    built_in: false,
    last_run: null,
  })
  const [first = '', second = '', third = ''] = byTheClock.next_runs
  expect([Date.parse(second) - Date.parse(first), Date.parse(third) - Date.parse(second)]).toEqual([
    60_000, 60_000,
  ])
  expect(first).toMatch(/:00\.000Z$/)
})

describe('a job run now', () => {
  it("is the site's: its user, its PHP, its database, its directory, and no other site's", async () => {
    const command = `php -r '$s = json_encode([posix_getuid(), PHP_VERSION, getcwd(), @scandir("${home(plain)}"), is_readable("${reeve.root}/var/lib/reeve-agent/registry.db")]); echo $s;'`
    const { body } = await create(blog, { schedule: '@yearly', command })
    expect((await runNow(body.id)).status).toBe(200)
    const run = await ended(blog, body.id)
    expect(run).toMatchObject({ outcome: 'succeeded', exit_code: 0 })
    expect(JSON.parse(run?.output ?? '')).toEqual([
      ...[uidOf(blog), expect.stringMatching(new RegExp(`^${blog.php_version}\\.`))],
      ...[expect.stringContaining(`${home(blog)}/releases/`), false, false],
    ])
    const load = await create(blog, {
      schedule: '@yearly',
      command: `php -r 'require "wp-load.php"; global $wpdb; echo $wpdb->get_var("SELECT COUNT(*) FROM $wpdb->users"), " ", wp_cache_set("a", 1) ? "cached" : "";'`,
    })
    await runNow(load.body.id)
    expect(await ended(blog, load.body.id)).toMatchObject({ outcome: 'succeeded', output: '1 cached' })
  })

  it('tells of its failure, its output and that it cannot run twice', async () => {
    const { body } = await create(plain, {
      schedule: '@daily',
      command: 'echo started; until [ -e "$HOME/go" ]; do sleep 0.1; done; echo wrong >&2; exit 3',
    })
    expect((await runNow(body.id)).body.last_run).toMatchObject({ outcome: 'running', finished_at: null })
    const again = await runNow(body.id)
    expect([again.status, again.body]).toEqual([409, expect.objectContaining({ code: 'conflict' })])
    writeFileSync(join(home(plain), 'tmp/php/go'), '')
    expect(await ended(plain, body.id)).toMatchObject({
      outcome: 'failed',
      exit_code: 3,
      output: 'started\nwrong\n',
    })
  })

  it('is ended at its time with all that it started', async () => {
    const { body } = await create(plain, {
      schedule: '@daily',
      command: "trap '' TERM; (setsid sleep 300 &); sleep 300 & wait",
      timeout_s: 10,
    })
    await runNow(body.id)

    await expect.poll(() => processes(plain), { timeout: 30_000 }).toBeGreaterThan(2)

    expect(await ended(plain, body.id)).toMatchObject({ outcome: 'timed_out', exit_code: null })
    await expect.poll(() => processes(plain), { timeout: 20_000 }).toBe(0)
  })

  it('is ended when it is deleted', async () => {
    const { body } = await create(plain, { schedule: '@daily', command: 'sleep 300' })
    await runNow(body.id)
    await expect.poll(() => processes(plain), { timeout: 30_000 }).toBeGreaterThan(0)
    expect((await panel.call('DELETE', `/api/cron/${body.id}`)).status).toBe(204)
    await expect.poll(() => processes(plain), { timeout: 20_000 }).toBe(0)
    expect(await find(plain, body.id)).toBeUndefined()
    expect((await runNow(body.id)).status).toBe(404)
  })

  it('is interrupted by the death of the agent, and leaves no process', async () => {
    const { body } = await create(plain, { schedule: '@daily', command: '(setsid sleep 300 &); sleep 300' })
    await runNow(body.id)
    await expect.poll(() => processes(plain), { timeout: 30_000 }).toBeGreaterThan(1)
    process.kill(reeve.pid('agent'), 'SIGKILL')
    await expect.poll(() => processes(plain), { timeout: 30_000 }).toBe(0)
    const outcome = () =>
      lastRun(plain, body.id).then(
        (run) => run?.outcome,
        () => undefined,
      )
    await expect.poll(outcome, { timeout: 60_000, interval: 200 }).toBe('interrupted')
    expect((await runNow(body.id)).status).toBe(200)
    await panel.call('DELETE', `/api/cron/${body.id}`)
  })
})

describe("WordPress's own tasks", () => {
  const option = () =>
    sql(
      reeve.root,
      `SELECT option_value FROM site_${blog.system_user?.split('-')[1]}.wp_options WHERE option_name = 'reeve_test_ran'`,
    )

  /** Milliseconds for one site of many: what fifty questions take longer than one. */
  const costOfAsking = () => {
    const question = `SELECT LEFT(option_value, 60) FROM site_${blog.system_user?.split('-')[1]}.wp_options WHERE option_name = 'cron';`
    const took = (count: number) => {
      const started = performance.now()
      sql(reeve.root, question.repeat(count))
      return performance.now() - started
    }
    return (took(50) - took(1)) / 49
  }

  it('are run by the server when they are due, as other jobs are, also while the API is stopped', async () => {
    plant(
      blog,
      'task.php',
      `<?php
add_action( 'reeve_test_task', function () { update_option( 'reeve_test_ran', php_sapi_name() . ' ' . ( wp_doing_cron() ? 'cron' : '' ) ); } );
add_action( 'init', function () {
	if ( ! get_option( 'reeve_test_asked' ) ) { update_option( 'reeve_test_asked', 1 ); wp_schedule_single_event( time() - 5, 'reeve_test_task' ); }
} );`,
    )
    const clock = join(home(plain), 'tmp/php/clock')
    const api = reeve.pid('api')
    process.kill(api, 'SIGSTOP')
    try {
      const before = existsSync(clock) ? statSync(clock).size : 0
      const page = await visit(blog.domain, { port: reeve.httpsPort, path: '/?uncached=1' })
      expect(page.status).toBe(200)
      // Run by a visitor's request it would say "fpm-fcgi".
      await expect.poll(option, { timeout: 130_000, interval: 250 }).toEqual(['cli cron'])
      const size = () => (existsSync(clock) ? statSync(clock).size : 0)
      await expect.poll(size, { timeout: 130_000, interval: 250 }).toBeGreaterThan(before)
    } finally {
      process.kill(api, 'SIGCONT')
    }
    expect(readFileSync(clock, 'utf8')).toMatch(/^(by the clock\n)+$/)
    expect(await ended(plain, byTheClock.id)).toMatchObject({ outcome: 'succeeded', exit_code: 0 })
    const id = `c${blog.id.slice(1)}`
    const run = await ended(blog, id)
    expect(run).toMatchObject({ outcome: 'succeeded', output: expect.stringContaining('reeve_test_task\n') })
    expect(await find(blog, id)).toMatchObject({ built_in: true, enabled: true, schedule: '* * * * *' })
    const ms = Date.parse(run?.finished_at ?? '') - Date.parse(run?.started_at ?? '')
    console.log(`a run of WordPress's due tasks: ${ms} ms, only in a minute in which one is due`)
    console.log(`asking a site whether one is due: ${costOfAsking().toFixed(2)} ms, each minute`)
  }, 300_000)

  it('can be run now and cannot be deleted; other types have none', async () => {
    const id = `c${blog.id.slice(1)}`
    // The clock may have started it in the same moment.
    await expect.poll(() => runNow(id).then(({ status }) => status), { timeout: 60_000 }).toBe(200)
    expect(await ended(blog, id)).toMatchObject({ outcome: 'succeeded' })
    expect((await panel.call('DELETE', `/api/cron/${id}`)).status).toBe(409)
    expect((await runNow(`c${plain.id.slice(1)}`)).status).toBe(404)
    expect((await jobsOf(plain)).filter((job) => job.built_in)).toEqual([])
  })
})

describe('what is no job is refused', () => {
  it.each([
    [{ schedule: '* * * * *', command: 'a\nb' }, 'command'],
    [{ schedule: '* * * * *\n* * * * * root', command: 'true' }, 'schedule'],
    [{ schedule: '61 * * * *', command: 'true' }, 'schedule'],
    [{ schedule: '0 0 31 2 *', command: 'true' }, 'schedule'],
    [{ schedule: '@reboot', command: 'true' }, 'schedule'],
    [{ schedule: '@daily', command: '' }, 'command'],
    [{ schedule: '@daily', command: 'true', timeout_s: 1 }, 'timeout_s'],
    [{ schedule: '@daily', command: 'true', user: 'root' }, 'user'],
  ])('%j', async (body, field) => {
    const answer = await panel.call('POST', `/api/sites/${plain.id}/cron`, body)
    expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ field })])
  })
})

it('goes with the site, also while a job runs', async () => {
  const { body } = await create(plain, { schedule: '@daily', command: 'sleep 300' })
  await runNow(body.id)
  await expect.poll(() => processes(plain), { timeout: 30_000 }).toBeGreaterThan(0)
  for (const site of [plain, blog]) {
    expect((await panel.deleteSite(site.id)).state).toBe('succeeded')
    const { domain, id, system_user: systemUser } = site
    expect(findTraces(reeve.root, { domain, id, systemUser })).toEqual([])
  }
  expect((await runNow(body.id)).status).toBe(404)
  expect(readFileSync(join(reeve.root, 'var/lib/reeve-agent/cron.db')).includes(plain.id)).toBe(false)
})

/** A plugin that is always on, put there by the site's own user. */
function plant(site: Site, name: string, code: string): void {
  const path = join(home(site), 'current/wp-content/mu-plugins', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, code)
  lchownSync(path, uidOf(site), uidOf(site))
}

function processesOfUser(uid: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => Number(/^Uid:\s+(\d+)/m.exec(readOf(pid, 'status'))?.[1]) === uid)
    .map((pid) => readOf(pid, 'cmdline').replaceAll('\0', ' '))
}

function readOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return '' // It has just ended.
  }
}
