// Several PHP versions side by side, and a site that changes its version and limits while it is visited.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Failpoints, openFailpoints } from '../src/failpoints.ts'
import { tenantOf, writeAs } from '../src/isolation/tenant.ts'
import { addOtherPhp, type OtherPhp } from '../src/other-php.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { visit, watchSite } from '../src/visitor.ts'

let php: OtherPhp
let reeve: Reeve
let panel: Panel
let site: Site
let failpoints: Failpoints
const bystander = 'bystander.example.com'

beforeAll(async () => {
  php = await addOtherPhp()
  failpoints = openFailpoints()
  reeve = await startReeve({ launcher: php.launcher, env: failpoints.env })
  panel = await reeve.panel()
  await panel.createSite({ domain: bystander, type: 'php', php_version: php.own })
  site = await panel.createSite({ domain: 'changing.example.com', type: 'php', php_version: php.own })
  const tenant = tenantOf(reeve, site)
  const settings = ['memory_limit', 'max_execution_time', 'upload_max_filesize', 'post_max_size']
  writeAs(
    tenant,
    join(tenant.code.dir, 'settings.php'),
    `<?php echo json_encode(['version' => PHP_VERSION] + array_map('ini_get', array_combine(${phpList(settings)}, ${phpList(settings)})));`,
  )
}, 300_000)

afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]()
  failpoints?.[Symbol.dispose]()
}, 60_000)

const phpList = (words: readonly string[]) => `[${words.map((word) => `'${word}'`).join(', ')}]`

interface Changed {
  task: Task
  site: Site
  warnings: string[]
}

async function change(body: Record<string, unknown>, id = site.id) {
  return await panel.call<Changed>('PUT', `/api/sites/${id}/php`, body)
}

async function changed(body: Record<string, unknown>, id = site.id): Promise<string[]> {
  const answer = await change(body, id)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  const task = await panel.taskEnd(answer.body.task.id)
  expect(task.state, task.log).toBe('succeeded')
  return answer.body.warnings
}

async function settings(domain = site.domain): Promise<Record<string, string>> {
  const page = await visit(domain, { port: reeve.httpsPort, path: '/settings.php' })
  expect(page.status).toBe(200)
  return JSON.parse(page.text) as Record<string, string>
}

const socketOf = (user: string | null, version: string) =>
  existsSync(join(reeve.root, `run/php/${user}-${version}.sock`))

describe('the limits of a site', () => {
  it('are what its code is told after the change', async () => {
    expect(await changed({ memory_limit_mb: 300, max_execution_s: 77, upload_max_mb: 90 })).toEqual([])
    expect(await settings()).toMatchObject({
      memory_limit: '300M',
      max_execution_time: '77',
      upload_max_filesize: '90M',
      post_max_size: '91M',
    })
  })

  it('keep what a change does not name', async () => {
    await changed({ memory_limit_mb: 310 })
    expect(await settings()).toMatchObject({ memory_limit: '310M', max_execution_time: '77' })
  })

  it('may be more workers than the budget allows, with the warning of the specification', async () => {
    const { body: capacity } = await panel.call<{ php_workers: number }>('GET', '/api/system/capacity')
    const warnings = await changed({ php_workers: capacity.php_workers + 1 })
    expect(warnings.join()).toMatch(/lower throughput on CPU-bound work and cause swapping/)
    expect(await changed({ php_workers: null })).toEqual([])
    const { body: back } = await panel.call<Site>('GET', `/api/sites/${site.id}`)
    expect(back.php_workers).toBe(capacity.php_workers)
  })

  it.each([
    { memory_limit_mb: 1 },
    { max_execution_s: 0 },
    { upload_max_mb: 1.5 },
    { php_workers: 0 },
    { version: '8.2\n' },
    { unknown: true },
  ])('refuse %j and change nothing', async (body) => {
    const before = await settings()
    expect((await change(body)).status).toBe(400)
    expect(await settings()).toEqual(before)
  })
})

describe('the PHP version of a site', () => {
  it('changes there and back, and neither the site nor another one loses a request', async () => {
    const watched = [bystander, site.domain].map((domain) => watchSite(domain, reeve.https, 10))
    await changed({ version: php.other })
    expect((await settings())['version']).toMatch(new RegExp(`^${php.other}\\.`))
    expect(socketOf(site.system_user, php.own)).toBe(false)
    await changed({ version: php.own })
    expect((await settings())['version']).toMatch(new RegExp(`^${php.own}\\.`))
    expect(socketOf(site.system_user, php.other)).toBe(false)
    for (const watch of watched) {
      await watch.reach(20)
      expect((await watch.stop()).failures).toEqual([])
    }
  })

  it('changes for WordPress too, whose pages stay whole', async () => {
    const blog = await panel.createSite({
      ...wordpressFields,
      domain: 'blog.example.com',
      title: 'A blog',
      php_version: php.own,
    })
    await changed({ version: php.other }, blog.id)
    const page = await visit(blog.domain, { port: reeve.httpsPort, path: '/?uncached' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('A blog')
    expect(page.text).toContain('</html>')
    expect((await panel.deleteSite(blog.id)).state).toBe('succeeded')
    for (const version of [php.own, php.other]) expect(socketOf(blog.system_user, version)).toBe(false)
  })

  it('that is not installed is refused with those that are', async () => {
    const answer = await change({ version: '7.4' })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ code: 'refused', field: 'version' })
    expect(answer.body).toMatchObject({ available: [php.own, php.other].sort().reverse() })
  })

  const points = [
    { where: 'site.apply.php:after', how: 'error', ends: 'own' },
    { where: 'site.apply.web-server:after', how: 'error', ends: 'own' },
    { where: 'site.apply.verify:before', how: 'error', ends: 'own' },
    { where: 'site.apply.php:after', how: 'kill', ends: 'other' },
    { where: 'site.apply.web-server:after', how: 'kill', ends: 'other' },
    { where: 'site.configure.apply:after', how: 'kill', ends: 'other' },
  ] as const

  it.each(points)('after a $how at $where is the $ends one, and the site serves', async (failpoint) => {
    const watch = watchSite(site.domain, reeve.https, 10)
    failpoints.arm(`${failpoint.where}:${failpoint.how}`)
    const { body } = await change({ version: php.other })
    const task = await panel.taskEnd(body.task.id)
    expect(failpoints.isArmed()).toBe(false)
    expect(task.state).toBe(failpoint.ends === 'own' ? 'failed' : 'succeeded')
    const version = php[failpoint.ends]
    expect((await settings())['version']).toMatch(new RegExp(`^${version}\\.`))
    const { body: after } = await panel.call<Site>('GET', `/api/sites/${site.id}`)
    expect(after).toMatchObject({ state: 'active', php_version: version })
    await watch.reach(10)
    expect((await watch.stop()).failures).toEqual([])
    await changed({ version: php.own })
  })
})

describe('a site whose system user somebody has removed', () => {
  it('does not end PHP for the others, and has its user again once it is saved', async () => {
    const lost = await panel.createSite({ domain: 'lost.example.com', type: 'php', php_version: php.own })
    execFileSync('/usr/sbin/userdel', ['--force', String(lost.system_user)])
    const master = reeve.servicePid('php')
    const answer = await change({ memory_limit_mb: 192 })
    const task = await panel.taskEnd(answer.body.task.id)
    expect(task.error).toContain(`The system user ${lost.system_user} is gone`)
    expect((await visit(bystander, { port: reeve.httpsPort })).status).toBe(200)
    await changed({ memory_limit_mb: 160 }, lost.id)
    await changed({ memory_limit_mb: 192 })
    expect(reeve.servicePid('php')).toBe(master)
    expect(readFileSync('/etc/passwd', 'utf8')).toContain(`\n${lost.system_user}:`)
  })
})
